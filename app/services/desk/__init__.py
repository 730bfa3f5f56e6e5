"""The admin's desk: what goes on in a study, how well people grade, and what can be done about it.

live, people    who is where, how fast, when the target is met
items, spread   items short of grades, retired ones, those on which people differ most
quality         how well each annotator grades: gathered here, measured in app.statistics
exclusion       leave somebody's grades out, or take them back; effect: what that changes
decision_log    every change, in words
copying, pay    a study again without its grades; what people are to be paid for
"""
