SELECT sent.report AS report{listed}, COUNT(*) AS n
FROM (
  SELECT CASE
    WHEN numbers.mark NOT IN ('{mark}', '{whole}') THEN -2
    WHEN numbers.number IS NULL THEN -1
    WHEN numbers.number < 0 OR numbers.number >= {values} THEN -3
    ELSE numbers.number
  END AS report{passed}
  FROM (
    SELECT mark, {number} AS number{passed}
    FROM (
      SELECT {marked} AS mark,
        {content} AS content{named}
      FROM reports
    ) AS texts
  ) AS numbers
) AS sent
GROUP BY sent.report{grouped}
ORDER BY sent.report{grouped};
