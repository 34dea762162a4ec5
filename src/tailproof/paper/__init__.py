"""The paper's experiments: settings, trials in machine code, results."""
