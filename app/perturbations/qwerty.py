"""Which keys are hit by mistake on a keyboard laid out as QWERTY."""

# The table behind the released files, found again from them: which letter stands for which at which draw. It holds
# each key itself, so that a released typo may be none; and the space, whose draws change nothing but what follows.
# No released row draws some places of j, z, q and x: there stands what the program "butter-fingers" has, with whose
# table all other places agree.
RELEASED_NEIGHBOURS = {
    " ": " ",
    "q": "qwasedzx",
    "w": "wqesadrfcx",
    "e": "ewrsfdqazxcvgt",
    "r": "retdgfwsxcvgt",
    "t": "tryfhgedcvbnju",
    "y": "ytugjhrfvbnji",
    "u": "uyihkjtgbnmlo",
    "i": "iuojlkyhnmlp",
    "o": "oipklujm",
    "p": "plo['ik",
    "a": "aqszwxwdce",
    "s": "swxadrfv",
    "d": "decsfaqgbv",
    "f": "fdgrvwsxyhn",
    "g": "gtbfhedcyjn",
    "h": "hyngjfrvkim",
    "j": "jhknugtblom",
    "k": "kjlinyhn",
    "l": "lokmpujn",
    "z": "zaxsvde",
    "x": "xzcsdbvfrewq",
    "c": "cxvdfzswergb",
    "v": "vcfbgxdertyn",
    "b": "bvnghcftyun",
    "n": "nbmhjvgtuik",
    "m": "mnkjloik",
}

# For sound rules: a typo is another letter, and each neighbour is as likely as any other.
NEIGHBOURS = {
    key: "".join(sorted({each for each in hit if each.isalpha() and each != key}))
    for key, hit in RELEASED_NEIGHBOURS.items()
    if key != " "
}
