// The cell in "Exercise: find the cause before the text tells you".
//
// The time follows the length of the sleep and nothing else: with a tenth of it, a tenth is left. To be sure, make the sleep longer as well.
double before = Try(options => { });
double yours = Try(options => options.IdleSleepMs = 0.1);

yours < before / 3 ? "that is it" : $"not it: {yours:0.0} ms of {before:0.0} are left"
