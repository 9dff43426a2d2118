/** Holds the longest delay of a host timer, about 25 days: a longer one fires at once. */
export const maxTimerMillis = 2_147_483_647
