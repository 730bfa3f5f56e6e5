"""The field's terms, each in a sentence or two: one hover or key away wherever they stand."""

from app.words import N_, gettext

TERMS: dict[str, tuple[str, str]] = {
    "delta": ("Δ", N_("Difference of two systems’ corpus scores, in points on the scale 0–100.")),
    "ns": ("NS", N_("Not significant: the pairs of systems that the metric can’t tell apart at 95 %%.")),
    "type-1": (N_("Type-I error"), N_("The metric sees a significant difference where people see none.")),
    "type-2": (N_("Type-II error"), N_("People see a significant difference where the metric sees none.")),
    "sign-error": (
        N_("Sign error"),
        N_("Metric and people both see a significant difference, in opposite directions."),
    ),
    "mismatch": (
        N_("Mismatch"),
        N_("A Type-I, Type-II or sign error: metric and people come to different verdicts."),
    ),
    "significant": (
        N_("Significant"),
        N_(
            "One system scores higher in at least 95 %% of the paired bootstrap draws, P(A > B) ≥ 0.95 or ≤ 0.05,"
            " as published. Each direction is tested at 95 %%, so that both together are 90 %% two-sided. Where "
            "nearly all draws are ties there is no significant difference."
        ),
    ),
    "draws": (
        N_("Paired draws"),
        N_("Resamples of the problems with replacement; the same draws serve every system, every metric and people."),
    ),
    "synthetic": (
        N_("Synthetic system"),
        N_(
            "An original system with 1 to 30 %% of its outputs replaced by better (or worse) graded ones of the "
            "others, so that there are enough pairs to count."
        ),
    ),
    "consensus": (N_("Consensus"), N_("One grade per item made from all its annotators’ grades.")),
    "advice": (
        N_("Under 5 %% from Δ"),
        N_(
            "The smallest difference from which on the metric errs in under 5 %% of all pairs at least that far "
            "apart, significant or not. It averages over larger differences, and needs at least 20 pairs."
        ),
    ),
    "p-greater": (
        "P(A > B)",
        N_(
            "Share of the paired draws in which A scores strictly higher than B. The study calls a pair "
            "significant at 0.05 and below, and at 0.95 and above: one-sided at 95 %%, 90 %% two-sided. The "
            "p-values are two-sided."
        ),
    ),
    "p-bootstrap": (
        N_("p, bootstrap"),
        N_(
            "Two-sided: share of draws whose difference strays from the observed one by at least its size, "
            "(c+1)/(B+1)."
        ),
    ),
    "p-randomisation": (
        N_("p, randomisation"),
        N_(
            "Two-sided approximate randomisation: share of random swaps of outputs between A and B that give a "
            "difference at least as large, (c+1)/(B+1)."
        ),
    ),
    "p-swaps": (
        N_("p, randomisation"),
        N_(
            "Two-sided: share of the swaps of outputs between A and B that give a difference at least as large. "
            "Exact, over all swaps, where at most 16 problems differ; otherwise over random ones, (c+1)/(B+1)."
        ),
    ),
    "fleiss": (
        N_("Fleiss’ κ"),
        N_("Agreement on the very same grade beyond what chance gives, for unequal numbers of grades per item."),
    ),
    "krippendorff": (
        N_("Krippendorff’s α"),
        N_(
            "Agreement beyond chance. Nominal counts any two different grades alike; ordinal and interval count a"
            " difference the more, the farther apart the grades are."
        ),
    ),
    "landis-koch": (
        N_("Landis–Koch word"),
        N_(
            "A customary name for the size of a coefficient: below 0 poor, to 0.2 slight, to 0.4 fair, to 0.6 "
            "moderate, to 0.8 substantial, above almost perfect."
        ),
    ),
    "cohen": (
        N_("Cohen’s κ"),
        N_(
            "Agreement of two annotators beyond chance, over the items that both graded. Linear and quadratic "
            "weights count a difference by its size, or by the square of it, instead of all differences alike."
        ),
    ),
    "same-grades": (
        N_("Same grade"),
        N_(
            "Percent agreement: of each item’s pairs of grades the share that are equal, then the mean over the "
            "items."
        ),
    ),
    "strict-majority": (
        N_("Strict majority"),
        N_("More than half of an item’s grades are one and the same: three of five, two of three, three of four."),
    ),
    "half-width": (
        N_("Half-width"),
        N_("How far a 95 %% interval reaches to either side: 1.96 standard deviations of the draws, in points."),
    ),
    "separated": (
        N_("Told apart"),
        N_("The 95 %% interval of the difference of two systems’ means excludes 0."),
    ),
    "kendall": (
        N_("Kendall’s τ"),
        N_("Pairs of systems in the same order less those in opposite order, corrected for ties."),
    ),
    "spearman": (N_("Spearman’s ρ"), N_("Correlation of the ranks of the systems.")),
    "pearson": (N_("Pearson’s r"), N_("Linear correlation of the scores of the systems.")),
    "pass-at-k": (
        "pass@k",
        N_(
            "The chance that at least one of k samples of a problem passes its tests, estimated without bias from "
            "all of its samples and averaged over the problems."
        ),
    ),
    "execution": (
        N_("Execution"),
        N_(
            "As a metric beside BLEU: the share of a model’s samples of the problem that pass its tests, those that "
            "nobody graded included; of an output that is no sample of several, 1 where it passes and 0 where not."
        ),
    ),
    "robust-pass": (
        N_("Robust Pass (RP)"),
        N_(
            "pass@k where a sample counts only if it passes on every perturbed prompt of the group: the worst case "
            "over all its transformations and s seeds."
        ),
    ),
    "robust-drop": (
        N_("Robust Drop (RD)"),
        N_("The share of the nominal pass@k that Robust Pass loses. Negative where perturbed prompts do better."),
    ),
    "robust-relative": (
        N_("Robust Relative (RR)"),
        N_(
            "How much changes in either direction: right before and wrong under some change, and wrong before and "
            "right under some change. A share for k = 1, for greater k a sum of two shares."
        ),
    ),
    "unchanged": (
        N_("Unchanged"),
        N_("Prompts in which the transformation found nothing to change: they count with their nominal samples."),
    ),
    "ceiling": (
        N_("Ceiling"),
        N_(
            "Robust Pass of the canonical solutions under the same changes: below 100 %% where a change breaks the "
            "problem itself."
        ),
    ),
    "auc": (
        N_("AUC"),
        N_(
            "Area under the ROC curve: of an item with which people find fault and another one, the chance that the "
            "check scores the first lower; 0.5 is chance, 1 perfect."
        ),
    ),
}

PAGES: dict[str, tuple[str, ...]] = {
    "overview": ("fleiss", "krippendorff", "landis-koch", "consensus"),
    "systems": ("synthetic", "draws", "significant", "consensus", "kendall", "spearman", "pearson", "execution"),
    "significance": ("delta", "significant", "draws", "synthetic"),
    "agreement": ("delta", "mismatch", "type-1", "type-2", "sign-error", "ns", "advice", "significant", "synthetic"),
    "points": ("delta", "type-1", "type-2", "sign-error", "significant", "synthetic"),
    "question-agreement": (
        "fleiss",
        "krippendorff",
        "landis-koch",
        "same-grades",
        "strict-majority",
        "cohen",
    ),
    "survey": ("fleiss", "landis-koch"),
    "enough": ("half-width", "separated", "kendall"),
    "benchmark-results": ("pass-at-k", "p-greater", "p-bootstrap", "p-randomisation"),
    "execution": ("execution", "consensus", "cohen"),
    "robustness": (
        "pass-at-k",
        "robust-pass",
        "robust-drop",
        "robust-relative",
        "unchanged",
        "ceiling",
        "p-bootstrap",
        "p-swaps",
    ),
    "naturalness": ("fleiss", "landis-koch", "strict-majority", "auc", "p-bootstrap"),
    "compare": ("delta", "p-greater", "p-bootstrap", "p-randomisation", "significant", "draws", "synthetic"),
}


def terms_of(page: str) -> list[tuple[str, str, str]]:
    """Key, term and definition of each term that the page uses."""
    return [(key, gettext(TERMS[key][0]), gettext(TERMS[key][1])) for key in PAGES[page]]
