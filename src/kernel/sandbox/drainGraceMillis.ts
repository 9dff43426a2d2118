/** Milliseconds without output after which outputs that background processes hold open are closed. */
export const drainGraceMillis = 100
