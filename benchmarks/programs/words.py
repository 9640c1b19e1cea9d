"""Words counted in dictionaries; the argument is the work in thousandths."""

import sys

counts = {}
for step in range(350 * int(sys.argv[1])):
    word = f"w{step * 7919 % 5003}"
    counts[word] = counts.get(word, 0) + 1
print(len(counts))
