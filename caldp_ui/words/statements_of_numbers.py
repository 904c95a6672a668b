"""The statements that pages of answers, matrices and comparisons rest on."""

from typing import Final

from caldp_ui.words.statement import Statement

_C: Final = r",\quad c = \tfrac{e^\varepsilon+1}{e^\varepsilon-1}"
VALUES: Final = (
    Statement(
        "CALDP Proposition 3, summed over a group G of a block's values that are all hidden: the "
        "range that a promise allows",
        "audit.beliefs.policy_beliefs",
        r"\Pr(G \mid y) \le "
        r"\frac{\pi(G)}{\pi(G) + e^{-\varepsilon}\,\pi(\text{rest of the block})}",
    ),
)
YESNO: Final = (
    Statement(
        "CALDP Theorem 2: the best binary mechanism",
        "mechanisms.direct.binary.BinaryMechanism",
        r"Q(1 \mid 0) = \frac{e^{\varepsilon_{01}} - 1}{e^{\varepsilon_{01}+\varepsilon_{10}} - 1},"
        r"\quad Q(0 \mid 1) = \frac{e^{\varepsilon_{10}} - 1}"
        r"{e^{\varepsilon_{01}+\varepsilon_{10}} - 1}",
    ),
    Statement(
        "CALDP Theorems 1 and 2: the most that an even guess between two becomes right",
        "audit.even_guess.even_guess",
        r"\tfrac12\Bigl(1 + \frac{(e^{a} - 1)(e^{b} - 1)}{e^{a+b} - 1}\Bigr),\quad "
        r"a = E[x, x'],\ b = E[x', x]",
    ),
    Statement(
        "CALDP Proposition 3: prior and posterior odds",
        "audit.adversary.Posterior",
        r"\frac{\Pr(x \mid y)}{\Pr(x' \mid y)} \le e^{E[x, x']}\,\frac{\pi_x}{\pi_{x'}}",
    ),
)
MATRIX: Final = (
    Statement(
        "CALDP Proposition 1: post-processing",
        "audit.composition.post_process",
        r"Q \text{ keeps } E \Rightarrow QW \text{ keeps } E",
    ),
    Statement(
        "CALDP Proposition 2: composition",
        "audit.composition.release_adaptively",
        r"\text{both reports together keep } E_1 + E_2",
    ),
    Statement(
        "ULDP Definition 2: what it asks for beyond high-low LDP",
        "audit.uldp.uldp",
        r"y \notin Y_P \Rightarrow \text{one sender, not sensitive};\quad "
        r"y \in Y_P \Rightarrow Q(y \mid x) \le e^\varepsilon Q(y \mid x')\ \forall x, x'",
    ),
    Statement(
        "small channels, every pair and report, in rationals",
        "audit.pairwise.exact_audit",
        r"\max_{x, x', y}\ \ln\frac{Q(y \mid x)}{Q(y \mid x')} - E[x, x'] \le 0",
    ),
    Statement(
        "any of these audits, whichever the mechanism allows",
        "audit.mechanisms.audit_mechanism",
    ),
    Statement(
        "from samples: a lower bound on ε at a confidence, never a proof of privacy",
        "audit.sampled.audit_sampler",
    ),
)
CURVES: Final = (
    Statement(
        "CALDP (3): people that plain LDP takes",
        "theory.bounds.ldp_rate",
        r"n = \Theta\bigl(k^2/(\alpha^2\varepsilon^2)\bigr)",
    ),
    Statement(
        "CALDP Theorem 3: people that a sensitive set takes",
        "theory.bounds.high_low_rate",
        r"n = \Theta\bigl(s^2/(\alpha^2\varepsilon^2) + k/(\alpha^2\varepsilon)\bigr)",
    ),
    Statement(
        "CALDP Theorem 4: people that blocks take",
        "theory.bounds.block_rate",
        r"n = \Theta\bigl(\textstyle\sum_j k_j^2/(\alpha^2\varepsilon^2)\bigr)",
    ),
    Statement(
        "CALDP Proposition 4 (17), as its proof has it",
        "theory.bounds.high_low_tv_bound",
        r"\mathrm E\,\ell_1 \le \sqrt{3 s^2 c^2/n} + \sqrt{c\,k/n}" + _C,
    ),
    Statement(
        "CALDP Proposition 5 (20)",
        "theory.bounds.block_tv_bound",
        r"\mathrm E\,\ell_1 \le 2c\,\sqrt{3\textstyle\sum_j k_j^2/n}" + _C,
    ),
    Statement(
        "ULDP Proposition 4: errors of uRR",
        "theory.bounds.urr_losses",
        r"\mathrm E\,\ell_1 \approx \sqrt{2/\pi}\,\textstyle\sum_x \sqrt{q_x(v - q_x)/n},\quad "
        r"q_x = p_x + \tfrac{[x \in X_S]}{e^\varepsilon - 1},\ "
        r"v = 1 + \tfrac{s}{e^\varepsilon - 1}",
    ),
    Statement(
        "ULDP's lower bounds",
        "theory.bounds.uldp_lower_rates",
        r"\mathrm E\,\ell_1 = \Omega\bigl(s/\sqrt{n\varepsilon^2}\bigr),\quad "
        r"\mathrm E\,\ell_2^2 = \Omega\bigl(s/(n\varepsilon^2)\bigr),\quad \varepsilon \le 1",
    ),
)
PLAN: Final = (
    Statement(
        "people, ε or sensitive values for an accuracy",
        "theory.planner",
        r"n \ge \max_{x:\,p_x \ge \text{floor}} "
        r"\Bigl(\frac{1.96}{\text{within}\cdot p_x}\Bigr)^2 n\,\mathrm{Var}(\hat p_x)",
    ),
)
PAPER: Final = (
    Statement(
        "ULDP Propositions 5 and 6: the worst people for uRR",
        "theory.bounds.urr_worst",
        r"\text{uniform on } X_N \text{ up to } \varepsilon = \ln(|X_N| + 1), "
        r"\text{ then all } q_x \text{ equal}",
    ),
    Statement(
        "ULDP Proposition 7: errors of uRAP as published",
        "theory.bounds.urap_losses",
        r"\mathrm{Var}(\hat p_x) = (p_x + [x \in X_S]/u')(v - p_x)/n,\quad "
        r"u' = e^{\varepsilon/2} - 1,\ v = e^{\varepsilon/2}/u'",
    ),
    Statement(
        "ULDP Proposition 8: the worst people for uRAP",
        "theory.bounds.urap_worst",
        r"\text{uniform on } X_N \text{ up to } \varepsilon = 2\ln(|X_N|/2 + 1)",
    ),
    Statement(
        "Yoon et al. 2025: the least error with a sensitive set, and for whom",
        "theory.uldp_optimum",
        r"n\,\mathrm{Var} = \frac{\bigl(\sqrt{e^\varepsilon} + "
        r"\sqrt{1 + \alpha(e^\varepsilon - 1)}\bigr)^2}{(e^\varepsilon - 1)^2}"
        r"\quad\text{for many sensitive values}",
    ),
)
