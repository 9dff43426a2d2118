/** The rows of the bench of leaves. */
import type { Table } from "../tables.ts"

/** What runs a command: a leaf, or a program of the command line beside it. */
export type Through =
  | "child_process"
  | "LocalShell"
  | "bwrap"
  | "IsolatedShell"
  | "ssh -S"
  | "SshShell"
  | "podman run"
  | "ContainerShell"
  | "podman exec"
  | "ContainerShell, reuse"
  | "RemoteShell"
  | "KernelShell"
  | "sftp -b"
  | "SftpFileSystem"
  | "fetch"
  | "S3FileSystem"

/** One measurement: what `measure.ts` is called with. */
export interface Case {
  readonly row: "command" | "bytes" | "read" | "write"
  readonly through: Through
}

const pairs: ReadonlyArray<readonly [Through, Through]> = [
  ["child_process", "LocalShell"],
  ["bwrap", "IsolatedShell"],
  ["ssh -S", "SshShell"],
  ["podman run", "ContainerShell"],
  ["podman exec", "ContainerShell, reuse"],
]

/** Leaves that no program of the command line stands beside: to the local leaf. */
const others: ReadonlyArray<Through> = ["RemoteShell", "KernelShell"]

const lines = (
  row: Case["row"],
  all: typeof pairs,
  alone: ReadonlyArray<Through>,
) => [
  ...all.flatMap(([tool, leaf]) => [
    { title: `\`${tool}\``, of: { row, through: tool } },
    { title: leaf, of: { row, through: leaf }, to: { row, through: tool } },
  ]),
  ...alone.map((leaf) => ({
    title: leaf,
    of: { row, through: leaf },
    to: { row, through: "LocalShell" as const },
  })),
]

const filePairs: ReadonlyArray<readonly [Through, Through]> = [[
  "sftp -b",
  "SftpFileSystem",
], ["fetch", "S3FileSystem"]]

/** All tables, in the order of the report. */
export const tables: ReadonlyArray<Table<Case>> = [
  {
    id: "command",
    title: "A command that does nothing",
    about:
      "`true`, one after the other, both outputs read to their end. Each leaf is beside its own tool, which this runtime " +
      "starts with `node:child_process`: `ssh -S` on a connection that is open, `podman exec` in a container that runs. " +
      "Milliseconds, lower is better; beside it the ratio to the tool, and for the last two to the local leaf.",
    value: "millis",
    unit: "ms",
    digits: 2,
    lines: lines("command", pairs, others),
  },
  {
    id: "bytes",
    title: "The bytes of a command",
    about: "`head -c` of `/dev/zero` to stdout, all of it read. Megabytes a second, higher is better.",
    value: "megabytes",
    unit: "MB/s",
    digits: 0,
    lines: lines("bytes", pairs, others),
  },
  {
    id: "read",
    title: "Reading a large file",
    about:
      "`Files.stream` of a file of 64 MiB; `sftp -b` gets it on a connection that is open, `fetch` gets an object without a " +
      "signature. The S3 service is in this process, and checks the signature and the hash of each request. Megabytes a second, higher is better.",
    value: "megabytes",
    unit: "MB/s",
    digits: 0,
    lines: lines("read", filePairs, []),
  },
  {
    id: "write",
    title: "Writing a large file",
    about: "The same the other way: `Files.write` of a stream of 1 MiB each, `sftp -b` puts. `fetch` puts one body.",
    value: "megabytes",
    unit: "MB/s",
    digits: 0,
    lines: lines("write", filePairs, []),
  },
]
