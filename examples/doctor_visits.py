"""
Does a deductible keep people from the doctor?
==============================================

The RAND health insurance experiment gave 20,190 persons plans with different shares to pay. Data: the package
``statsmodels``. Visits to a doctor are skewed: half of the people go at most once a year, one went 77 times.
"""

import statsmodels.api as sm

import tailproof

people = sm.datasets.randhie.load_pandas().data
# The rows come person by person; a stream has no such order.
people = people.sample(frac=1.0, random_state=0)
people["coinsurance"] = people["lncoins"] / people["lncoins"].max()
features = people[["coinsurance", "idp", "physlm", "disea", "hlthp"]]
model = tailproof.LinearRegression().keep_path().partial_fit(features, people["mdvis"])
print(model.estimate())

# %%
# How the coefficient of the share to pay came to rest while people were counted. Had the experiment been smaller, what
# would it have said?

display = model.plot_path(columns=["coinsurance", "disea"])

# %%
# The decision rests on the interval, not on the coefficient alone.

low, high = (ends[0] for ends in model.interval(0.99))
change = 100 * model.coef_[0] / float(tailproof.Mean().fit(people[["mdvis"]]).mean_[0])
print(f"paying all instead of nothing: {model.coef_[0]:.2f} visits a year ({low:.2f} .. {high:.2f}), {change:+.0f} %")

enough = next((said.rows for said in model.path_.readings if said.high[0] < 0.0), len(people))
said = (
    "charge a share if visits are to fall" if high < 0 else "no effect is shown: do not charge a share for that reason"
)
print(f"Decision: {said}. The interval lay below 0 for the first time after {enough:,} people.")
