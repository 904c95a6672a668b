"""The table of words for a decision, and arguments for and against noise with their sources.

No side is taken: every entry follows from a definition, or is a published claim.
"""

from typing import Final

from caldp_ui.coarser.page_state import BLOCKS, CENTRAL, HIDE, LARGER, NOTHING, PLAIN, ROUND

COLUMNS: Final = (
    "protects against",
    "whom one has to trust",
    "who pays in accuracy",
    "what remains possible",
)
DECISION: Final = {
    NOTHING: (
        "nobody",
        "everybody who reads the table",
        "nobody",
        "every count and every answer can be read by an attacker who knows the rest",
    ),
    LARGER: (
        "an attacker who asks where within a larger cell",
        "the office, which has all records",
        "everybody: all detail within a larger cell is lost, for towns and minorities alike",
        "larger cells can be subtracted from others that overlap them",
    ),
    HIDE: (
        "an attacker who reads a small count in the table, until sums are subtracted",
        "the office, which has all records",
        "small places and minorities: their counts are missing",
        "newcomers, differences, sums that are solved",
    ),
    ROUND: (
        "an attacker who takes a single small count for exact",
        "the office, which has all records",
        "small places and minorities: the same error is more of a small count",
        "averages over regions that are rounded anew",
    ),
    CENTRAL: (
        "every attack on what is published, up to ε, for all tables together",
        "the office, which has all records and must add the noise",
        "small places and minorities: the same error is more of a small count",
        "guesses whose odds change by at most {times}; what is true of a whole group",
    ),
    PLAIN: (
        "everybody, the collector too, up to ε",
        "nobody but one's own device",
        "everybody, unless very many take part",
        "guesses whose odds change by at most {times}; reports that are sent again add up",
    ),
    BLOCKS: (
        "everybody, the collector too, up to ε within a block",
        "nobody but one's own device",
        "everybody, less than in plain LDP; blocks with few people most",
        "everybody reads the block; within it the odds change by at most {times}",
    ),
}
"""By treatment, an entry for each of `COLUMNS`; `{times}` is the factor of odds that ε allows."""
SIDES: Final = {
    "For coarsening and hiding, against noise": (
        (
            (
                "Random age and sex match somebody in the same block in 52.6 % of cases, so "
                "a reconstruction needs that control group to show harm"
            ),
            "Ruggles, Van Riper, Population Research and Policy Review 41, 2022",
        ),
        (
            (
                "Noise in the 2020 census led to undercounts of mixed precincts, while a named "
                "voter's race could be predicted as well as before"
            ),
            "Kenny et al., Science Advances 2021",
        ),
        (
            (
                "A published table has very many reconstructions; that one of them is right is not "
                "shown"
            ),
            "Muralidhar, arXiv 2205.03939, 2022",
        ),
        (
            "Noise without a bound may jeopardise key features of a census",
            "Bach, whose views are his own, arXiv 2012.09775",
        ),
    ),
    "For noise, against coarsening and hiding alone": (
        (
            (
                "From 34 published tables of the 2010 census all records of 70 % of blocks, 97 "
                "million people, can be shown to be exact"
            ),
            "Abowd et al., arXiv 2312.11283, 2023",
        ),
        (
            (
                "If counts of random subsets are answered with errors well below the root of the "
                "number of people, nearly all secret answers follow"
            ),
            "Dinur, Nissim, PODS 2003",
        ),
        (
            (
                "Noise within fixed bounds, drawn once for each set of people, can be found out "
                "and removed by asking for the same set in many ways"
            ),
            "Asghar, Kaafar, PETS 2020",
        ),
        (
            (
                "The majority's race of a block can be guessed despite all noise: what a table "
                "says of a whole group is no leak about one person"
            ),
            "Note on the misinterpretation of reconstruction, arXiv 2202.04872, 2022",
        ),
    ),
}
OFFICES: Final = (
    (
        "New Zealand rounds at random to base 3 since its census of 1981",
        "Stats NZ, Random rounding",
    ),
    (
        "Canada rounds at random to base 5, and hides areas of fewer than 40 people",
        "Statistics Canada, 2011 Census confidentiality rules",
    ),
    (
        (
            "England and Wales swap records and add small errors by cell keys: about 14 % of the "
            "cells of a typical table change"
        ),
        "ONS, Protecting personal data in Census 2021 results",
    ),
    (
        "The United States added noise with a promise to the counts of their 2020 census",
        "registry of deployments of differential privacy, OpenDP",
    ),
)
