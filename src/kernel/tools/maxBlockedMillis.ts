/** Limits the time of a call into an engine that blocks the host, where the runtime cannot suspend WASM. */
export const maxBlockedMillis = 1_000
