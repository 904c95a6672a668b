r"""The statements that the pages rest on: what each says, its formula, and where the code has it.

The tables of docs/mathematics.md list them with their pages; tests hold these tables against this
one, and this one against what pages show. A formula may be empty where the page itself has it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Statement:
    """`says`: the statement with its source; `code`: its name in caldp_core; `formula`: LaTeX."""

    says: str
    code: str
    formula: str = ""


_C: Final = r",\quad c = \tfrac{e^\varepsilon+1}{e^\varepsilon-1}"
_PLACES: Final = (
    Statement(
        "exact variance of every estimate, over people and coins",
        "mechanisms.base.Mechanism.variance",
        r"\mathrm{Var}(\hat p_x) = \bigl(\mathrm E[Z_x^2] - p_x^2\bigr)/n, "
        r"\quad Z_x\text{: what a report adds to } n\hat p_x",
    ),
    Statement(
        "exact variance of any weighted sum, such as a region's share",
        "mechanisms.base.Mechanism.sum_variance",
        r"\mathrm{Var}\bigl(\textstyle\sum_x w_x\hat p_x\bigr) = "
        r"\bigl(\mathrm E[(\sum_x w_x Z_x)^2] - (\sum_x w_x p_x)^2\bigr)/n",
    ),
    Statement(
        "exact variance over the coins alone",
        "theory.variance.variance_given_people",
        r"\mathrm{Var}(\hat p_x \mid \text{people}) = \mathrm{Var}(\hat p_x) - p_x(1-p_x)/n",
    ),
    Statement(
        "expected total variation of any estimator, by the line below or by trials",
        "theory.expected_error.expected_error",
        r"\mathrm E\,\tfrac12\textstyle\sum_x |\hat p_x - p_x|",
    ),
    Statement(
        "the same, errors taken as normal, where many values and people share the error",
        "theory.normal_approximation.approximation",
        r"\mathrm E\,|\hat p_x - p_x| \approx \sqrt{2/\pi}\,\sigma_x"
        r"\quad\text{before any projection}",
    ),
    Statement(
        "which family is best here, and why",
        "theory.planner.best_family",
        r"\textstyle\arg\min_{\text{family}} \sum_x \mathrm{Var}(\hat p_x)",
    ),
    Statement(
        "any family in any context at any size, by classes of pairs, in rationals: every entry of "
        "the channel where they can be gone through, else its form",
        "audit.blockwise.audit_context",
    ),
)
_VALUES: Final = (
    Statement(
        "CALDP Proposition 3, summed over a group G of a block's values that are all hidden: the "
        "range that a promise allows",
        "audit.beliefs.promised",
        r"\Pr(G \mid y) \le "
        r"\frac{\pi(G)}{\pi(G) + e^{-\varepsilon}\,\pi(\text{rest of the block})}",
    ),
)
_YESNO: Final = (
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
_DISTANCES: Final = (
    Statement(
        "how far off reports lie, and blocks in which they lie as far",
        "theory.displacement",
        r"\textstyle\sum_y Q(y \mid x)\, d(x, y)",
    ),
    Statement(
        "noise on maps of any size, through the channels of rows and columns, in rationals",
        "audit.axes.audit_axes",
    ),
)
_PERSONAL: Final = (
    Statement(
        "ULDP §5: what a wrong background of own places does to the estimate",
        "mechanisms.backgrounds.background_bias",
        r"\mathrm E\,\hat p(x) - p(x) = \textstyle\sum_j p(\bot_j)\,(\pi_j(x) - h_j(x))",
    ),
)
_ADVERSARY: Final = (
    Statement(
        "CALDP Theorem 1: the region of errors",
        "audit.adversary.within_error_region",
        r"P_\mathrm{FA} + e^{E[x', x]}\,P_\mathrm{MD} \ge 1",
    ),
    Statement(
        "the region of any pair, as its corners: what E allows",
        "audit.error_regions.claimed_region",
        r"\Bigl(\tfrac{e^{\varepsilon_{21}} - 1}{e^{\varepsilon_{12}+\varepsilon_{21}} - 1},\ "
        r"\tfrac{e^{\varepsilon_{12}} - 1}{e^{\varepsilon_{12}+\varepsilon_{21}} - 1}\Bigr)"
        r"\text{ and the two guesses without a report}",
    ),
    Statement(
        "what a mechanism reaches of that region, at any size",
        "audit.error_regions.reached_region",
        r"\min_{\text{rules}}\, (P_\mathrm{FA} + w\,P_\mathrm{MD}) = "
        r"\textstyle\sum_y \min\{Q(y \mid x'),\, w\,Q(y \mid x)\}",
    ),
    Statement(
        "how often the best guess of anybody is right, of the protected and of the others",
        "audit.best_guess.best_guess",
        r"\textstyle\sum_y \max_x \pi_x\,Q(y \mid x)",
    ),
    Statement(
        "CALDP Proposition 3, summed over all other symbols, after m reports",
        "audit.inference.most_believed",
        r"\Pr(x \mid y_1, \dots, y_m) \le "
        r"\frac{\pi_x}{\sum_{x'} e^{-m\,E[x, x']}\,\pi_{x'}}",
    ),
    Statement(
        "Cao, Jia, Gong 2021: what fake phones gain, in every family and context",
        "audit.poisoning.expected_gain",
        r"\beta\,(a - p_T),\quad a\text{: what a fake report adds to the targets' count}",
    ),
    Statement(
        "one fake phone's power, and whether a smaller block lowers it",
        "audit.poisoning.power",
        r"\text{people added by its strongest report, beside } n\,\sigma_x",
    ),
    Statement(
        "LDPRecover's idea (Sun et al. 2024), block by block, and what it misses",
        "estimation.recovery.recovered",
        r"\hat p^{\,\text{honest}} = \Pi_\Delta\Bigl(\frac{\hat p - \beta\,a}{1 - \beta}\Bigr)",
    ),
)
_MATRIX: Final = (
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
_CURVES: Final = (
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
_PLAN: Final = (
    Statement(
        "people, ε or sensitive values for an accuracy",
        "theory.planner",
        r"n \ge \max_{x:\,p_x \ge \text{floor}} "
        r"\Bigl(\frac{1.96}{\text{within}\cdot p_x}\Bigr)^2 n\,\mathrm{Var}(\hat p_x)",
    ),
)
_PAPER: Final = (
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

_COARSER: Final = (
    Statement(
        "the least and the largest value of each hidden cell that all published sums allow; it "
        "comes out where both are one number (Fischetti, Salazar 2001)",
        "attacks.solving.bounds",
        r"\min, \max\; x_s \quad\text{subject to}\quad A x = t,\; l \le x \le u",
    ),
    Statement(
        "random rounding to multiples of b is right on average",
        "treatments.rounding.Rounding.law",
        r"n = qb + r \mapsto (q+1)b \text{ with probability } r/b, \text{ else } qb",
    ),
    Statement(
        "best guess between two cells of one person from a noisy table of a trusted office",
        "treatments.noise.CentralTable.right",
        r"1/(1 + e^{-\varepsilon/2})",
    ),
    Statement(
        "best guess between two places of one person from a rounded or partly hidden table",
        "attacks.differencing.two_places",
        r"(1 + \mathrm{TV})/2",
    ),
    Statement(
        "answers nearest to all published tables, by a linear program (Dinur, Nissim 2003; Dwork, "
        "McSherry, Talwar 2007)",
        "attacks.reconstruction.nearest",
        r"\textstyle\min_{x \in [0,1]^n} \sum_t \bigl|\sum_{i \in t} x_i - y_t\bigr|",
    ),
)
STATEMENTS: Final[Mapping[str, tuple[Statement, ...]]] = {
    "places": _PLACES,
    "values": _VALUES,
    "yesno": _YESNO,
    "distances": _DISTANCES,
    "personal": _PERSONAL,
    "adversary": _ADVERSARY,
    "coarser": _COARSER,
    "matrix": _MATRIX,
    "curves": _CURVES,
    "plan": _PLAN,
    "paper": _PAPER,
}
"""By the page that shows them."""
LECTURE: Final[Mapping[str, tuple[Statement, ...]]] = {
    "trust": (
        Statement(
            "Dwork, McSherry, Nissim, Smith 2006: a curator's count, on whole numbers",
            "lecture.central.CentralCount",
        ),
    ),
    "selection": (
        Statement(
            "Dwork, Roth 2014, Claim 3.9: report noisy max",
            "lecture.central.NoisyMax",
        ),
        Statement("selection bit by bit, ε/log₂ d a bit", "lecture.selection.BitwiseResponse"),
    ),
    "rappor": (
        Statement(
            "Erlingsson, Pihur, Korolova 2014, Theorems 1 and 2: two layers",
            "lecture.rappor.Rappor",
        ),
        Statement(
            "what an attacker of RAPPOR learns in so many days",
            "lecture.rappor.guessed_right_after",
        ),
    ),
    "bits": (
        Statement("Apple 2017: count-mean sketch", "lecture.sketches.CountMeanSketch"),
        Statement("its one-bit Hadamard form", "lecture.sketches.HadamardSketch"),
    ),
    "means": (
        Statement(
            "Ding, Kulkarni, Yekhanin 2017: one bit for a mean",
            "lecture.one_bit_mean.OneBitMean",
        ),
        Statement(
            "the same every day, rounded by an offset and remembered",
            "lecture.one_bit_mean.Phones",
        ),
    ),
    "shuffling": (
        Statement(
            "Feldman, McMillan, Talwar 2021, main theorem: shuffling",
            "theory.shuffling.closed_form",
        ),
        Statement("their reduction to clones, as of 2023, summed up", "theory.shuffling.numeric"),
        Statement(
            "Wang and others 2023: less, where the mechanism is known", "theory.mixing.after_mixing"
        ),
    ),
}
"""By the station of the classroom, whose expander “The formula” has the formulas themselves."""
