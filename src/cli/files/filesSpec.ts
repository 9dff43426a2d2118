/** Describes `sluice files` and its subcommands: their help, operands and flags. */
import type { CommandGroup, CommandSpec, OperandSpec } from "../CommandSpec.ts"
import { type FlagTable, listFlag, switchFlag, valueFlag } from "../FlagSpec.ts"
import { type ServerTokenFlags, serverTokenFlags } from "../serverTokenFlags.ts"
import { parseBytes, parseCountFrom, parseNonEmpty, parsePositiveDuration, parseText } from "../parseValues.ts"

export interface SharedFlags extends ServerTokenFlags {
  readonly root: string | undefined
  readonly url: string | undefined
  readonly json: boolean
}

export interface ReadFlags {
  readonly offset: number | undefined
  readonly length: number | undefined
}

export interface WriteFlags {
  readonly input: string | undefined
  readonly append: boolean
  readonly new: boolean
  readonly existing: boolean
}

export interface ListFlags {
  readonly recursive: boolean
  readonly pattern: string | undefined
  readonly long: boolean
}

export interface DeleteFlags {
  readonly recursive: boolean
}

export interface EditFlags {
  readonly old: string | undefined
  readonly new: string | undefined
  readonly all: boolean
  readonly edits: string | undefined
}

export interface PatchFlags {
  readonly "dry-run": boolean
}

export interface SearchFlags {
  readonly files: boolean
  readonly literal: boolean
  readonly "ignore-case": boolean
  readonly glob: ReadonlyArray<string>
  readonly hidden: boolean
  readonly "no-ignore": boolean
  readonly context: number | undefined
  readonly "max-matches": number | undefined
  readonly timeout: number | undefined
}

export interface WatchFlags {
  readonly ignore: ReadonlyArray<string>
}

export const sharedFlags: FlagTable<SharedFlags> = {
  root: valueFlag("DIR", "The folder that / stands for; no path leads out of it. Default: this one", parseNonEmpty),
  url: valueFlag(
    "URL",
    "Files of a server instead: sluice serve --files, such as http://127.0.0.1:8787",
    parseNonEmpty,
  ),
  ...serverTokenFlags,
  json: switchFlag("Print JSON, one object per line"),
}

export const readFlags: FlagTable<ReadFlags> = {
  offset: valueFlag("BYTES", "Where to begin: 512, 64K, 1M. Default: 0", parseBytes),
  length: valueFlag("BYTES", "Maximum number of bytes. Default: to the end", parseBytes),
}

export const writeFlags: FlagTable<WriteFlags> = {
  input: valueFlag("FILE", "Write the content of this file of this machine. Default: stdin", parseNonEmpty),
  append: switchFlag("Add to the end instead of replacing"),
  new: switchFlag("Fail if the file already exists"),
  existing: switchFlag("Fail if the file does not exist"),
}

export const listFlags: FlagTable<ListFlags> = {
  recursive: { ...switchFlag("List folders below it too; links are not followed"), alias: "r" },
  pattern: valueFlag("GLOB", "Only paths that match: '*.ts', 'src/**'", parseNonEmpty),
  long: { ...switchFlag("Also show size and time"), alias: "l" },
}

export const deleteFlags: FlagTable<DeleteFlags> = {
  recursive: { ...switchFlag("Delete folders with everything in them"), alias: "r" },
}

export const editFlags: FlagTable<EditFlags> = {
  old: valueFlag("TEXT", "Text to replace, exactly as it is in the file; it must occur exactly once", parseNonEmpty),
  new: { ...valueFlag("TEXT", "Text to put in its place", parseText), requires: "old" },
  all: { ...switchFlag("Replace every occurrence"), requires: "old" },
  edits: valueFlag(
    "FILE|-",
    'Several replacements as JSON, all or none: [{ "oldText": "a", "newText": "b", "replaceAll": true }]',
    parseNonEmpty,
  ),
}

export const patchFlags: FlagTable<PatchFlags> = {
  "dry-run": switchFlag("Check everything, and write nothing"),
}

export const searchFlags: FlagTable<SearchFlags> = {
  "files": switchFlag("List files by name: the operand is PATH alone"),
  "literal": { ...switchFlag("PATTERN is text, not a regular expression"), alias: "F" },
  "ignore-case": { ...switchFlag("Ignore upper and lower case"), alias: "i" },
  "glob": listFlag("GLOB", "Only paths that match; with ! in front, paths that do not; repeatable", parseNonEmpty),
  "hidden": switchFlag("Also search names that begin with a dot, except .git"),
  "no-ignore": switchFlag("Also search what .gitignore leaves out"),
  "context": { ...valueFlag("N", "Lines around each match. Default: 0", parseCountFrom(0, 100)), alias: "C" },
  "max-matches": valueFlag("N", "Maximum number of matching lines. Default: 1000", parseCountFrom(1, 1_000_000)),
  "timeout": valueFlag("D", "How long to search: 10s, 2m. Default: 30s", parsePositiveDuration),
}

export const watchFlags: FlagTable<WatchFlags> = {
  ignore: listFlag("GLOB", "Leave out paths that match, and everything below them; repeatable", parseNonEmpty),
}

const pathOperand = (min: 0 | 1, max: number = 1): OperandSpec => ({
  name: "PATH",
  about: "A path below the root, with forward slashes",
  min,
  max,
})

const subcommands: ReadonlyArray<CommandSpec> = [
  {
    name: "read",
    operand: pathOperand(1),
    short: "Print a file, or a range of it",
    about: `Print the bytes of a file unchanged. With --json, print the events of the read, with content in base64.`,
    flags: readFlags,
    examples: [["sluice files read --offset 1M --length 64K app.log", "64 KiB from the second MiB on"]],
  },
  {
    name: "write",
    operand: pathOperand(1),
    short: "Write a file from stdin",
    about:
      `Write stdin to a file, and make missing folders. A file is replaced atomically: readers see its old content or the new one.`,
    flags: writeFlags,
    examples: [
      ["echo hello | sluice files write notes/today.txt", "Create or replace"],
      ["date | sluice files write --append log.txt", "Add to the end"],
    ],
  },
  {
    name: "ls",
    operand: pathOperand(0),
    short: "List a folder",
    about: `List the entries of a folder in the order of their paths. Folders end with a slash.
  With --json each line has: path, size, modified (milliseconds since 1970), isDirectory, isSymlink.`,
    flags: listFlags,
    examples: [["sluice files ls -r --pattern '*.ts' src", "All TypeScript files below src"]],
  },
  {
    name: "stat",
    operand: pathOperand(1),
    short: "Show size, times and type of a file",
    about:
      `Show the metadata of a file or a folder. With --json: size, modified, created, isDirectory, isSymlink, permissions.`,
    flags: {},
    examples: [],
  },
  {
    name: "rm",
    operand: pathOperand(1, Infinity),
    short: "Delete files and folders",
    about:
      `Delete files, links and empty folders; with --recursive folders with everything in them. The root itself stays.`,
    flags: deleteFlags,
    examples: [],
  },
  {
    name: "edit",
    operand: pathOperand(1),
    short: "Replace exact text in a file",
    about: `Replace exact pieces of text, all or none, and print a unified diff. Encoding and line ends stay.
  Exit status: 1 if a text does not occur, or occurs more than once; the message gives the lines.`,
    flags: editFlags,
    examples: [["sluice files edit --old 'let a' --new 'const a' src/a.ts", "Fails unless it occurs exactly once"]],
  },
  {
    name: "patch",
    operand: { name: "FILE", about: "A patch on this machine. Default: stdin", min: 0, max: 1 },
    short: "Apply a patch to files, all or none",
    about:
      `Apply a unified diff (diff -u, git diff), or a patch that begins with *** Begin Patch. Everything is checked before the
  first write. Exit status: 1 if it does not apply; the message gives the line of the patch.`,
    flags: patchFlags,
    examples: [["git diff | sluice files patch --root ../copy --dry-run", "Check a patch against another tree"]],
  },
  {
    name: "search",
    operand: {
      name: "PATTERN",
      about: "Pattern to find in lines. Leave it out with --files",
      min: 0,
      max: 1,
    },
    secondOperand: { name: "PATH", about: "The folder or the file to search. Default: the root" },
    short: "Search files by content or name",
    about:
      `Print the lines that match a regular expression (RE2 syntax), as PATH:LINE:COLUMN:TEXT in the order of their paths.
  Obeys .gitignore; binary files are left out. On local files ripgrep is used where it is installed. With --json, FileMatch
  objects, then one FileSearchEnd.
  Exit status: 1 if nothing is found.`,
    flags: searchFlags,
    examples: [
      ["sluice files search --glob '*.ts' 'TODO|FIXME' src", "By content"],
      ["sluice files search --files --glob '*.md'", "By name"],
    ],
  },
  {
    name: "watch",
    operand: pathOperand(0),
    short: "Print changes of files until Ctrl-C",
    about:
      `Print the changes below a folder as they happen: created, modified, deleted, and overflow where the system lost some.`,
    flags: watchFlags,
    examples: [["sluice files watch --ignore node_modules src", "Without the files in node_modules"]],
  },
]

export const filesSpec: CommandGroup = {
  name: "files",
  short: "Read, write, list, edit, patch, search and watch files below one folder",
  about:
    `Work with files below one folder of this machine, or of a server. No path leads out of the folder, by .. or by links.

  Exit status: 0 success; 1 nothing was found, or an edit or a patch does not apply; 124 timed out; 126 not permitted;
  127 not found; 130 by Ctrl-C (143 by SIGTERM, 129 by SIGHUP); 125 any other failure.`,
  flags: sharedFlags,
  commands: subcommands,
}
