"""
Do the rich spend a smaller share on food?
==========================================

Engel's law says so. His data: income and food expenditure of 235 Belgian households of 1857, from the package
``statsmodels``. One household earns five times the mean, and least squares leans on it.
"""

import statsmodels.api as sm

import tailproof

households = sm.datasets.engel.load_pandas().data
model = tailproof.LinearRegression().fit(households[["income"]], households["foodexp"])
print(model.estimate())

# %%
# The law holds if the intercept is above 0: then the share spent on food, slope + intercept / income, falls as incomes
# grow. Both methods, each with its interval:

display = model.plot()

# %%
# What it means at three incomes.

for income in (400.0, 1000.0, 3000.0):
    share = model.coef_[0] + model.intercept_ / income
    print(f"of an income of {income:5,.0f} francs {100 * share:.0f} % go into food")

low, high = model.intercept_interval()
robust = "holds" if low > 0 else "fails" if high < 0 else "cannot be told"
bar = model.estimate().bars()[-1]
ends = bar.plain_ends(0.95)
plain = "holds" if ends[0] > 0 else "fails" if ends[1] < 0 else "cannot be told"
print(
    f"Decision: Engel's law {robust} (intercept {model.intercept_:.0f} francs, {low:.0f} .. {high:.0f}). "
    f"By least squares it {plain} too, with {bar.plain:.0f} francs."
    if robust == plain
    else f"Decision: Engel's law {robust} by our interval ({low:.0f} .. {high:.0f} francs), while by least squares it "
    f"{plain} ({ends[0]:.0f} .. {ends[1]:.0f}): do not rest the case on these 235 households alone."
)
