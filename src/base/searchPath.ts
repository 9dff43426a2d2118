/** Splits and joins values of PATH by the rules of POSIX or Windows. */
type Platform = "posix" | "windows"

const delimiters: Readonly<Record<Platform, string>> = { posix: ":", windows: ";" }

/**
 * Splits a PATH into its directories. On POSIX an empty entry stays: it is the current directory. On Windows an entry may be
 * quoted, then a semicolon is a part of it; quotes and empty entries are dropped.
 *
 * Source: execvp(3); Microsoft, "path".
 */
export const splitSearchPath = (platform: Platform, path: string): ReadonlyArray<string> =>
  platform === "posix"
    ? path.split(delimiters.posix)
    : (path.match(/(?:[^;"]|"[^"]*"?)+/g) ?? []).map((e) => e.replaceAll('"', "").trim()).filter((e) => e !== "")

/** Joins directories, or values of PATH, to one value. On Windows a directory with a semicolon is quoted. */
export const joinSearchPath = (platform: Platform, directories: ReadonlyArray<string>): string =>
  directories
    .map((each) => platform === "windows" && each.includes(";") ? `"${each}"` : each)
    .join(delimiters[platform])
