/** Describes `sluice files` and its subcommands: their help, operands and flags. */
import type { CommandGroup, CommandSpec, OperandSpec } from "../CommandSpec.ts"
import {
  deleteFlags,
  editFlags,
  listFlags,
  patchFlags,
  readFlags,
  searchFlags,
  sharedFlags,
  watchFlags,
  writeFlags,
} from "./flags.ts"

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
      `Write stdin to a file, and make missing folders. A replaced file is visible whole: its old content, or the new one.`,
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
      `Delete files, links and empty folders; with --recursive folders with all that is in them. The root itself stays.`,
    flags: deleteFlags,
    examples: [],
  },
  {
    name: "edit",
    operand: pathOperand(1),
    short: "Replace exact text in a file",
    about: `Replace exact pieces of text, all or none, and print a unified diff. Encoding and line ends stay.
  Exit status: 1 if a text is not in the file, or there more than once; the lines are named.`,
    flags: editFlags,
    examples: [["sluice files edit --old 'let a' --new 'const a' src/a.ts", "Fails unless it is there once"]],
  },
  {
    name: "patch",
    operand: { name: "FILE", about: "A patch on this machine. Default: stdin", min: 0, max: 1 },
    short: "Apply a patch to files, all or none",
    about:
      `Apply a unified diff (diff -u, git diff), or a patch that begins with *** Begin Patch. Everything is checked before the
  first write. Exit status: 1 if it does not fit; the line of the patch is named.`,
    flags: patchFlags,
    examples: [["git diff | sluice files patch --root ../copy --dry-run", "Check a patch against another tree"]],
  },
  {
    name: "search",
    operand: {
      name: "PATTERN",
      about: "What to find in lines. With --files there is none: PATH alone",
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
    examples: [["sluice files watch --ignore node_modules src", "Without what is in node_modules"]],
  },
]

export const filesCommand: CommandGroup = {
  name: "files",
  short: "Read, write, list, edit, patch, search and watch files below one folder",
  about:
    `Work with files below one folder of this machine, or of a server. No path leads out of the folder, by .. or by links.

  Exit status: 0 success; 1 nothing was found, or an edit or a patch does not fit; 124 timed out; 126 not permitted;
  127 not found; 130 by Ctrl-C (143 by SIGTERM, 129 by SIGHUP); 125 any other failure.`,
  flags: sharedFlags,
  commands: subcommands,
}
