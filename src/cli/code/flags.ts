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

/** The flags of `sluice code`, in the order of the help. */
export const codeFlags: Readonly<Record<string, FlagSpec>> = {
  "language": value("NAME", `Language of the code: ${languages}`),
  "file": value("FILE|-", "Read the code from a file instead of CODE; - is stdin"),
  "json": {
    kind: "switch",
    metavar: "",
    about: "Print one JSON result at the end: success, exitCode, stdout, stderr, error",
  },
  "timeout": value(
    "D",
    "Terminate the process tree after this time: seconds, or with a unit, as in 500ms or 2m. Default: 30s",
  ),
  "grace": runFlags.grace,
  "cwd": runFlags.cwd,
  "env": { ...runFlags.env, about: "Set an environment variable of the code; repeatable" },
  "clear-env": {
    ...runFlags["clear-env"],
    about: "Do not inherit the environment: the code gets only what --env sets",
  },
  "input": { ...runFlags.input, about: "Stdin of the code; - is the stdin of sluice. Default: empty" },
  "max-output": value("BYTES", "Maximum bytes of both outputs in the result of --json, as in 64K or 4M. Default: 1M"),
  "limit": runFlags.limit,
  "journal": {
    ...runFlags.journal,
    about: runFlags.journal.about.replace("the command, its output", "the run, its output"),
  },
}
