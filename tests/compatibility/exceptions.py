"""The differences that programs may see: each names its entry in docs/differences.md."""

KERNEL_CLASSIFIERS = ("SVC", "NuSVC")
KERNEL_MACHINES = (*KERNEL_CLASSIFIERS, "SVR", "NuSVR", "OneClassSVM")
LINEAR_MACHINES = ("LinearSVC", "LinearSVR")
MACHINES = (*KERNEL_MACHINES, *LINEAR_MACHINES)

_VALUES = r"(dual_coef_|intercept_|offset_|support_|support_vectors_|n_support_|\w+\(\))"

#: A pattern of "case: what is seen", the classes where it is seen, and the entry.
EXCEPTIONS: dict[str, tuple[tuple[str, ...], str]] = {
    r".*: n_iter_": (MACHINES, "steps"),
    r".*: (has )?(C|nu|epsilon|class_weight|random_state|probability)( before the fit|\.error)?": (
        KERNEL_MACHINES,
        "foreign-attributes",
    ),
    r"float32: support_vectors_\.type": (KERNEL_MACHINES, "float32"),
    r"CSR array: (dual_coef_|support_vectors_)\.format": (KERNEL_MACHINES, "sparse-arrays"),
    r"(callable|precomputed): support_vectors_(\.shape)?": (KERNEL_MACHINES, "kept-vectors"),
    rf"weight and scale: {_VALUES}(\.shape)?": (KERNEL_MACHINES, "weighted-gamma"),
    r"negative weight: support_": (KERNEL_MACHINES, "places"),
    r".*: fit_predict\(\)": (("OneClassSVM",), "boundary-rows"),
    rf"(balanced( of three)?|class weights): {_VALUES}(\.shape)?": (("NuSVC",), "nu-class-weight"),
    r"no intercept: intercept_(\.type|\.shape)?": (LINEAR_MACHINES, "no-intercept"),
    r"(max_iter=-1|(hinge, )?primal|l1, dual): outcome(\.error)?": (
        LINEAR_MACHINES,
        "more-combinations",
    ),
    r".*: (has )?prob[AB]_( before the fit)?\.warning FutureWarning": (
        KERNEL_CLASSIFIERS,
        "probabilities",
    ),
    r".*: (get_params )?probability": (KERNEL_CLASSIFIERS, "probabilities"),
    r"sigmoid: (fit|fit_predict\(\))\.warning AdviceWarning": (
        ("NuSVC", "OneClassSVM"),
        "indefinite-kernels",
    ),
    r"NaN weights: outcome(\.error)?": (KERNEL_MACHINES, "checked-weights"),
    r"weights (of|below) \w+( class)?: outcome(\.error)?": (
        ("NuSVC", *LINEAR_MACHINES),
        "checked-weights",
    ),
    r"\w+=.*: outcome\.error": (MACHINES, "parameter-errors"),
}
