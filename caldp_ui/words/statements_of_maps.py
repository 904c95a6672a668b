"""The statements that pages of maps rest on, in the order of the pages."""

from typing import Final

from caldp_ui.words.statement import Statement

PLACES: Final = (
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
DISTANCES: Final = (
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
PERSONAL: Final = (
    Statement(
        "ULDP §5: what a wrong background of own places does to the estimate",
        "mechanisms.backgrounds.background_bias",
        r"\mathrm E\,\hat p(x) - p(x) = \textstyle\sum_j p(\bot_j)\,(\pi_j(x) - h_j(x))",
    ),
)
ADVERSARY: Final = (
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
        "audit.inference.max_posterior",
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
        "audit.poisoning.attack_power",
        r"\text{people added by its strongest report, beside } n\,\sigma_x",
    ),
    Statement(
        "LDPRecover's idea (Sun et al. 2024), block by block, and what it misses",
        "estimation.recovery.recover_shares",
        r"\hat p^{\,\text{honest}} = \Pi_\Delta\Bigl(\frac{\hat p - \beta\,a}{1 - \beta}\Bigr)",
    ),
    Statement(
        "whether the sum of a block's estimates shows that there are fakes, in which families, "
        "and how many it takes",
        "audit.block_sums.block_sum",
        r"\textstyle\sum_{x \in B} n\hat p_x = n_B + m\,(A - 1)\text{ on average, of } m"
        r"\text{ fakes}",
    ),
)
COARSER: Final = (
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
        "treatments.noise.CentralTable.guess_accuracy",
        r"1/(1 + e^{-\varepsilon/2})",
    ),
    Statement(
        "best guess between two places of one person from a rounded or partly hidden table",
        "attacks.differencing.place_guess_accuracy",
        r"(1 + \mathrm{TV})/2",
    ),
    Statement(
        "answers nearest to all published tables, by a linear program (Dinur, Nissim 2003; Dwork, "
        "McSherry, Talwar 2007)",
        "attacks.reconstruction.fit_answers",
        r"\textstyle\min_{x \in [0,1]^n} \sum_t \bigl|\sum_{i \in t} x_i - y_t\bigr|",
    ),
)
