/** Defines the flags of `sluice files` and of its subcommands, with the types of their decoded values. */
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
  new: switchFlag("Fail if there is a file already"),
  existing: switchFlag("Fail if there is no file"),
}

export const listFlags: FlagTable<ListFlags> = {
  recursive: { ...switchFlag("List folders below it too; links are not followed"), alias: "r" },
  pattern: valueFlag("GLOB", "Only paths that match: '*.ts', 'src/**'", parseNonEmpty),
  long: { ...switchFlag("Also show size and time"), alias: "l" },
}

export const deleteFlags: FlagTable<DeleteFlags> = {
  recursive: { ...switchFlag("Delete folders with all that is in them"), alias: "r" },
}

export const editFlags: FlagTable<EditFlags> = {
  old: valueFlag("TEXT", "Text to replace, exactly as it is in the file; it must be there once", parseNonEmpty),
  new: { ...valueFlag("TEXT", "Text to put in its place", parseText), requires: "old" },
  all: { ...switchFlag("Replace it wherever it is"), requires: "old" },
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
  "ignore-case": { ...switchFlag("Upper and lower case are the same"), alias: "i" },
  "glob": listFlag("GLOB", "Only paths that match, or with ! in front none that does; repeatable", parseNonEmpty),
  "hidden": switchFlag("Search names that begin with a dot too, but for .git"),
  "no-ignore": switchFlag("Search what .gitignore leaves out"),
  "context": { ...valueFlag("N", "Lines around each match. Default: 0", parseCountFrom(0, 100)), alias: "C" },
  "max-matches": valueFlag("N", "Maximum number of matching lines. Default: 1000", parseCountFrom(1, 1_000_000)),
  "timeout": valueFlag("D", "How long to search: 10s, 2m. Default: 30s", parsePositiveDuration),
}

export const watchFlags: FlagTable<WatchFlags> = {
  ignore: listFlag("GLOB", "Leave out paths that match, with all that is in them; repeatable", parseNonEmpty),
}
