/** What the clients of the bench send. */
export const token = "bench"
