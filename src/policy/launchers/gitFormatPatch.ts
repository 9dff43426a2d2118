/**
 * Checks the options of `git format-patch`, which writes into a given folder: known options only, no protected folders.
 * Source: git-format-patch(1); gitcli(7).
 */
import { isProtectedName } from "../../base/protectedNames.ts"
import { type LaunchOutcome, plain, refused } from "./LauncherRule.ts"

/** Letters without a value; one with a value may end their word: `-qo out`. */
const flags = "nNksqpsuabwWr"

const shortValued = "ov"

/** Letters in one word before one with a value, which may be a path. */
export const maxLetters = 16

/** Letters whose value, a number or a percentage, is in their word or missing. */
const counted = /^-(?:\d+|[UMCBl]\d*%?(?:\/\d+%?)?)$/

const long: ReadonlySet<string> = new Set(
  `always attach binary cover-letter encode-email-headers find-copies find-renames force-in-body-from from full-index
  histogram ignore-if-in-upstream inline interdiff keep-subject minimal no-attach no-binary no-cover-letter no-from
  no-encode-email-headers no-numbered no-notes no-renames no-signature no-stat no-thread no-to no-cc notes numbered
  numbered-files patch patience progress quiet rfc root signoff stat stdout summary thread zero-commit`.split(/\s+/),
)

/** Their value is after `=`, or the next word. */
const longValued: ReadonlySet<string> = new Set(
  `add-header base cc commit-list-format cover-from-description creation-factor diff-algorithm filename-max-length
  in-reply-to interdiff output-directory range-diff reroll-count signature start-number subject-prefix suffix to unified`
    .split(/\s+/),
)

/** Whether files in a folder are run or trusted by others. What it is relative to is decided before. */
export const isProtectedPath = (path: string): boolean =>
  isProtectedName(path.split("/").filter((name) => name !== ".."))

/** Reads an option, with its value if that is in its word; `undefined` if it is not known. */
const optionOf = (
  text: string,
): { readonly name: string; readonly value?: string; readonly takes: boolean } | undefined => {
  if (counted.test(text)) return { name: "", takes: false }
  if (text.startsWith("--")) {
    const [name = "", value] = text.slice(2).split(/=(.*)/s)
    if (longValued.has(name)) return value === undefined ? { name, takes: true } : { name, value, takes: true }
    return long.has(name) ? { name, takes: false } : undefined
  }
  const at = [...text].findIndex((letter, index) => index > 0 && !flags.includes(letter))
  if (at > maxLetters) return undefined
  if (at < 0) return { name: "", takes: false }
  const name = text[at] ?? ""
  if (!shortValued.includes(name)) return undefined
  return at + 1 === text.length ? { name, takes: true } : { name, value: text.slice(at + 1), takes: true }
}

export const formatPatch = (words: ReadonlyArray<string>): LaunchOutcome => {
  for (let at = 0; at < words.length; at++) {
    const text = words[at] ?? ""
    if (text === "--") return plain
    if (!/^-./.test(text)) continue
    const option = optionOf(text)
    if (option === undefined) return refused(`with ${text.slice(0, 60)}`)
    if (!option.takes) continue
    // Some options may have no value: the next word is read as an option, too.
    const next = words[at + 1] ?? ""
    if (option.value === undefined && !next.startsWith("-")) at++
    const value = option.value ?? next
    // The value ends the names of files.
    if (option.name === "suffix" && /[/\\]/.test(value)) return refused(`with the suffix ${value.slice(0, 60)}`)
    if (/^(?:o|output-directory)$/.test(option.name) && isProtectedPath(value)) {
      return refused(`with the output directory ${value.slice(0, 60)}`)
    }
  }
  return plain
}
