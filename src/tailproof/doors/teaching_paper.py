"""What the help of `tailproof paper` teaches beside its options."""

PAPER = """\
examples:
  tailproof paper list
  tailproof paper run mean-main
  tailproof paper run all --trials 50000 --out results
  tailproof paper report results
  tailproof paper run my.toml
  tailproof paper table1

'tailproof paper JOB --help' explains a job.
"""

TABLE1 = """\
examples:
  tailproof paper table1
  tailproof paper table1 --tau-l 1 --tau-u 10 --sigma2 1 --eps .1 \\
                         --delta .01 --r0 5
"""

RUN = """\
examples:
  tailproof paper run mean-main
  tailproof paper run all --trials 50000 --out results
  tailproof paper run my.toml --threads 1

reading the table:
  Each line is a method with the candidate of the least mean error. 'validated'
  is what sequential validation chooses from the rows of each trial, 'validated
  once' the candidate that it chooses most often, in all trials.
  Q.01 is the error that one trial in a hundred exceeds. Means, then tails: a
  method that is good on average may be bad in one run of a thousand.

your own experiment (every key may be left out):
  task = "mean"                 # or "linear", "logistic"
  rows = 500
  columns = 20
  law = "pareto 2.1"            # or "gaussian", "lognormal 1.5"
  methods = ["clipped-sgd", "sgd", "tailproof"]
  [candidates]
  levels = [0.01, 0.1, 1.0]     # lambda = c sqrt(N p)
  [[panel]]                     # a further picture
  vary = "columns"
  values = [10, 20, 40]
"""
