# The cell of the schedule in "Exercise: lose a batch".
#
# The scanner has written its second batch and not yet counted it; the epoch ends; the sequencer looks at the vector's end; now the scanner counts;
# and the sequencer clears what it has not shown.
schedule = "S0*9  D*2  Q*4  S0  Q"
run = sequencer.replay("per-scanner-published", schedule, pushes=2)
print(run.finish() or "the contract was kept: try another schedule")
lanes(run.history)
