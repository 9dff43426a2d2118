/**
 * Table of the flags of `sluice code`.
 *
 * @module
 */
import { interpreters } from "../../code/Interpreter.ts"
import { type FlagSpec, runFlags } from "../flags.ts"

const value = (metavar: string, about: string): FlagSpec => ({ kind: "value", metavar, about })

const languages = Object.entries(interpreters)
  .map(([language, { command }]) => language === command ? language : `${language} (${command})`)
  .join(", ")

/** The flags of `sluice code`, in the order that the help shows them. */
export const codeFlags: Readonly<Record<string, FlagSpec>> = {
  "language": value("NAME", `The language of the code: ${languages}`),
  "file": value("FILE|-", "Where the code is, in place of CODE; - is this program's stdin"),
  "json": {
    kind: "switch",
    metavar: "",
    about: "Write one result as JSON at the end: success, exitCode, stdout, stderr, error",
  },
  "timeout": value(
    "D",
    "Longest run in seconds, or such as 500ms, 2m; then the whole process tree is ended. Default: 30s",
  ),
  "grace": runFlags.grace,
  "cwd": runFlags.cwd,
  "env": { ...runFlags.env, about: "Set a variable of the code's environment; may be repeated" },
  "clear-env": { ...runFlags["clear-env"], about: "Do not pass this environment on: only what --env sets" },
  "input": { ...runFlags.input, about: "What the code reads on stdin; - is this program's stdin. Default: nothing" },
  "max-output": value("BYTES", "Bytes of both outputs that a result of --json keeps, such as 64K, 4M. Default: 1M"),
  "limit": runFlags.limit,
  "journal": {
    ...runFlags.journal,
    about: runFlags.journal.about.replace("the command, its output", "the run, its output"),
  },
}
