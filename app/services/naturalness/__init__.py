"""Are the changes of a perturbed set natural? People are asked, and automatic checks are held against them.

spec, drawing, making   studies that ask about prompts of a set: ReCode's two surveys
asked_sets              which set a study asks about
checks, runs, scores    how alike each changed row is to its origin, by automatic checks
"""
