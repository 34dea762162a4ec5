"""What the help of each verb teaches beside its options."""

WHOLE = """\
examples:
  tailproof mean requests.parquet
  tailproof diff visits.parquet --group variant --metric revenue
  tailproof regress trips.parquet --target duration
  tailproof classify clicks.csv --target clicked --save model.tps
  tailproof predict model.tps new.parquet -o predictions.parquet
  tailproof compare trips.parquet --target duration
  tailproof mean 'logs/2026-11-*.parquet' --checkpoint run.tps
      (killed and started again, it goes on where it was)
  tailproof inspect run.tps
  tailproof merge a.tps b.tps -o all.tps
  tailproof paper list

'tailproof COMMAND --help' explains a command. Answers go to stdout, all else to
stderr. Exit codes: 0 done, 1 the data could not be used, 2 wrong usage,
3 stopped by a signal.
"""

MEAN = """\
examples:
  tailproof mean requests.parquet
  tailproof mean requests.parquet --columns latency_ms,bytes --confidence 0.99
  gunzip -c day-*.csv.gz | tailproof mean - --format csv --json
  tailproof mean 'logs/2026-11-*.parquet' --checkpoint run.tps
      (killed and started again, it goes on where it was)
"""

DIFF = """\
examples:
  tailproof diff visits.parquet --group variant --metric revenue
  tailproof diff visits.parquet --group variant --metric revenue,latency --json
  tailproof diff visits.parquet --group variant --baseline control
  tailproof diff 'visits/*.csv' --group variant --checkpoint test.tps
      (with tomorrow's file it goes on where it was)

reading the table:
  Each difference is that of a group's mean less the baseline's; the lift is its
  share of the baseline's mean. While the interval holds 0 no difference has
  been shown. It may be looked at as often as you like: were there no
  difference, 95 % of such tests would never show one. That is said of each
  interval by itself, so with many metrics or groups ask for a higher
  --confidence. It begins when each group has 100 rows, and supposes that rows
  are independent: give it one row for each user, not one for each click. Rows
  whose group or metrics are missing are refused and counted; so are those of
  groups that the first rows do not show.
"""

REGRESS = """\
examples:
  tailproof regress trips.parquet --target duration
  tailproof regress trips.parquet --target duration --features distance,hour
  tailproof regress trips.parquet --target duration --one-hot --save model.tps
  gunzip -c day-*.csv.gz | tailproof regress - --format csv --target duration

reading the table:
  A coefficient says by how much the mean of the target changes when its column
  grows by one and the others stay. Its interval holds the truth with the
  confidence asked for, heavy tails or not. Where least squares is several
  standard errors away (s.e. away), a few rows decide what it says.
"""

CLASSIFY = """\
examples:
  tailproof classify clicks.csv --target clicked
  tailproof classify clicks.csv --target clicked --save model.tps
  tailproof classify pets.parquet --target kind --labels cat,dog,bird --one-hot

reading the table:
  A coefficient says by how much the log-odds of a class change when its column
  grows by one and the others stay: .7 doubles the odds. With two labels there
  is one table, of the second against the first; --labels sets their order. With
  more there is one a class, of that class against all others. The classes are
  those of the first rows or of --labels; rows with other labels are refused.
"""

PREDICT = """\
examples:
  tailproof predict model.tps new.parquet -o predictions.parquet
  tailproof predict model.tps new.csv > predictions.csv
  cat new.jsonl | tailproof predict model.tps - --format jsonl -o said.parquet

One row comes out for each row that goes in, in the same order: the column
'prediction' and, for classes, a column 'p(LABEL)' for the probability of each.
Columns are found by their names; others may be there, in any order. Where a
value is missing the prediction is empty.
"""

COMPARE = """\
examples:
  tailproof compare trips.parquet --target duration
  tailproof compare requests.parquet --columns latency_ms,bytes

Each row is predicted before it is learnt from, so that no method is judged by
rows that it has seen. The verdict may be that you do not need this.
"""

WARM = """\
examples:
  tailproof warm
  NUMBA_CACHE_DIR=/opt/tailproof tailproof warm
      (for others: who sets this variable need not be allowed to write there)

When no folder can be written to, all works, but each start compiles anew.
"""
