/** Parses and formats permission bits, and names file types and owners, as `chmod` and `ls` do. */
import { FileType, type Stat } from "./Stat.ts"

const typeLetters: Readonly<Record<number, string>> = {
  [FileType.directory]: "d",
  [FileType.symbolicLink]: "l",
  [FileType.characterDevice]: "c",
  [FileType.blockDevice]: "b",
  [FileType.regularFile]: "-",
}

/** The letter of a file's type, as `ls -l` shows it. */
export const typeLetter = (stat: Stat): string => typeLetters[stat.type] ?? "p"

/** Formats type and permissions as `ls -l` does: `drwxr-xr-x`. */
export const formatMode = (stat: Stat): string => {
  const { mode } = stat
  const three = (bits: number, special: boolean, letter: string): string =>
    ((bits & 4) !== 0 ? "r" : "-") + ((bits & 2) !== 0 ? "w" : "-") +
    (special ? ((bits & 1) !== 0 ? letter : letter.toUpperCase()) : (bits & 1) !== 0 ? "x" : "-")
  return typeLetter(stat) + three(mode >> 6, (mode & 0o4000) !== 0, "s") +
    three(mode >> 3, (mode & 0o2000) !== 0, "s") +
    three(mode, (mode & 0o1000) !== 0, "t")
}

/** The numbers of the owner of a file; 0 if its volume has no owners. */
export const idsOf = ({ owner }: Stat): { readonly user: string; readonly group: string } => ({
  group: `${owner?.gid ?? 0}`,
  user: `${owner?.uid ?? 0}`,
})

/** The names of the owner of a file; if its volume has no owners, the kernel's single user, from the environment. */
export const ownerOf = (
  env: ReadonlyMap<string, string>,
  stat?: Stat,
): { readonly user: string; readonly group: string } => {
  if (stat?.owner !== undefined) return stat.owner
  const user = env.get("USER") ?? env.get("LOGNAME") ?? "root"
  return { group: user, user }
}

const letterBits: Readonly<Record<string, number>> = { r: 0o444, w: 0o222, x: 0o111, s: 0o6000, t: 0o1000 }

/** Applies a mode such as `755`, `u+x,go-w` or `a=rX` to permission bits; `undefined` if it is not a mode. */
export const changeMode = (text: string, mode: number, isDirectory: boolean, umask: number): number | undefined => {
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
        const shift = "ogu".indexOf(letter) * 3
        if (shift >= 0) bits |= (result >> shift & 7) * 0o111
        else if (letter !== "X") bits |= letterBits[letter] ?? 0
        else if (isDirectory || (result & 0o111) !== 0) bits |= 0o111
      }
      bits &= mask
      if (who === "") bits &= ~umask
      if (sign === "+") result |= bits
      else if (sign === "-") result &= ~bits
      else result = (result & ~(mask & (isDirectory ? 0o777 : 0o7777))) | bits
    }
  }
  return result & 0o7777
}
