/**
 * Parses `/proc/PID/stat`.
 *
 * Source: proc_pid_stat(5).
 */

/** The fields after the name, which may contain any character: the first one is the file's third. Empty if there is no name. */
export const procStatFields = (stat: string): ReadonlyArray<string> => {
  const close = stat.lastIndexOf(")")
  return close < 0 ? [] : stat.slice(close + 2).trim().split(" ")
}

/**
 * Whether a state (field 3) is that of a process that no longer runs, such as a zombie, even one that is never reaped.
 */
export const isDeadState = (state: string | undefined): boolean => state === "Z" || state === "X"
