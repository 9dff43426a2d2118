/** Variables that a caller may give to a command: bash runs `evil` where it takes one of them for a number. */
export const starterVariables: Readonly<Record<string, string>> = Object.fromEntries(
  ["a", "i", "j", "n", "x", "y", "REPLY", "OPTARG"].map((name) => [name, "a[$(evil)]"]),
)
