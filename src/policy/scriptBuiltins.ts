/** Lists the builtins that do what a program of the same name would do: a policy's list has to name them. */

const listed: ReadonlySet<string> = new Set(
  "bg caller disown echo fg help jobs kill printf pwd type ulimit umask".split(" "),
)

/** Whether a policy's list has to name a builtin. */
export const isListedBuiltin = (name: string): boolean => listed.has(name)
