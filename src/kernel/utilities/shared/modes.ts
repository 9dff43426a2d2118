import { FileType, type Stat } from "../../Stat.ts"

/** The letter of a file's kind, as `ls -l` has it. */
export const kindLetter = (stat: Stat): string =>
  stat.type === FileType.directory
    ? "d"
    : stat.type === FileType.symbolicLink
    ? "l"
    : stat.type === FileType.characterDevice
    ? "c"
    : stat.type === FileType.blockDevice
    ? "b"
    : stat.type === FileType.regularFile
    ? "-"
    : "p"

/** `drwxr-xr-x`. */
export const formatMode = (stat: Stat): string => {
  const { mode } = stat
  const three = (bits: number, special: boolean, letter: string): string =>
    ((bits & 4) !== 0 ? "r" : "-") + ((bits & 2) !== 0 ? "w" : "-") +
    (special ? ((bits & 1) !== 0 ? letter : letter.toUpperCase()) : (bits & 1) !== 0 ? "x" : "-")
  return kindLetter(stat) + three(mode >> 6, (mode & 0o4000) !== 0, "s") +
    three(mode >> 3, (mode & 0o2000) !== 0, "s") +
    three(mode, (mode & 0o1000) !== 0, "t")
}

/** Who owns everything here: the kernel knows no users, so it is one, by name or by number. */
export const ownerOf = (
  env: ReadonlyMap<string, string>,
  numeric = false,
): { readonly user: string; readonly group: string } => {
  if (numeric) return { group: "0", user: "0" }
  const user = env.get("USER") ?? env.get("LOGNAME") ?? "root"
  return { group: user, user }
}

/** Permission bits that a text such as `755`, `u+x,go-w` or `a=rX` makes of others; `undefined` when it is none. */
export const changeMode = (text: string, mode: number, folder: boolean, umask: number): number | undefined => {
  if (/^[0-7]{1,5}$/.test(text)) return parseInt(text, 8) & 0o7777
  let result = mode
  for (const clause of text.split(",")) {
    const match = /^([ugoa]*)((?:[-+=](?:[rwxXst]*|[ugo]))+)$/.exec(clause)
    if (match === null) return undefined
    const who = match[1] ?? ""
    const all = who === "" || who.includes("a")
    const mask = all
      ? 0o7777
      : (who.includes("u") ? 0o4700 : 0) | (who.includes("g") ? 0o2070 : 0) | (who.includes("o") ? 0o1007 : 0)
    for (const [, sign, letters = ""] of (match[2] ?? "").matchAll(/([-+=])([rwxXstugo]*)/g)) {
      let bits = 0
      for (const letter of letters) {
        const copied = letter === "u"
          ? result >> 6 & 7
          : letter === "g"
          ? result >> 3 & 7
          : letter === "o"
          ? result & 7
          : 0
        bits |= letter === "r"
          ? 0o444
          : letter === "w"
          ? 0o222
          : letter === "x" || (letter === "X" && (folder || (result & 0o111) !== 0))
          ? 0o111
          : letter === "s"
          ? 0o6000
          : letter === "t"
          ? 0o1000
          : copied * 0o111
      }
      bits &= mask
      if (who === "") bits &= ~umask
      if (sign === "+") result |= bits
      else if (sign === "-") result &= ~bits
      else result = (result & ~(mask & (folder ? 0o777 : 0o7777))) | bits
    }
  }
  return result & 0o7777
}
