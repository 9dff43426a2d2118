/** One value of each request, event and fault of the FileSystem branch, whose encoded form is in `v1.ndjson`. */
import { encodeUtf8 } from "../../../src/base/bytes.ts"
import { type FileEvent, FileFault, type FileRequest } from "../../../src/leaves/files/mod.ts"

const correlationId = "r1"

export const requests: ReadonlyArray<FileRequest> = [
  { _tag: "FileRead", correlationId, path: "src/a.ts" },
  { _tag: "FileRead", correlationId, path: "src/a.ts", offset: 10, length: 20 },
  { _tag: "FileWrite", correlationId, path: "a", content: encodeUtf8("hello"), createMode: "CreateNew" },
  {
    _tag: "FileWrite",
    correlationId,
    path: "a",
    content: encodeUtf8(""),
    createMode: "CreateOrReplace",
    chunked: true,
  },
  {
    _tag: "FileWrite",
    correlationId,
    path: "a",
    content: encodeUtf8(""),
    createMode: "CreateOrAppend",
    permissions: 493,
  },
  { _tag: "FileWrite", correlationId, path: "a", content: encodeUtf8(""), createMode: "ReplaceExisting" },
  { _tag: "FileWrite", correlationId, path: "a", content: encodeUtf8(""), createMode: "AppendExisting" },
  { _tag: "FileList", correlationId, path: "/" },
  { _tag: "FileList", correlationId, path: "src", pattern: "**/*.ts", recursive: true },
  { _tag: "FileDelete", correlationId, path: "a" },
  { _tag: "FileDelete", correlationId, path: "src", recursive: true },
  { _tag: "FileStat", correlationId, path: "a" },
]

const entry = { path: "lib/b.ts", size: 3, modified: 1_700_000_000_000, isDirectory: false, isSymlink: true }

export const events: ReadonlyArray<FileEvent> = [
  { _tag: "FileContent", correlationId, content: encodeUtf8("hello"), totalSize: 100, isPartial: true },
  { _tag: "FileContentChunk", correlationId, offset: 65_536, data: encodeUtf8("hello"), isFinal: true },
  { _tag: "FileWritten", correlationId, path: "a", bytesWritten: 5 },
  { _tag: "FileListing", correlationId, entries: [entry] },
  { _tag: "FileListingChunk", correlationId, entries: [entry], isFinal: false },
  { _tag: "FileDeleted", correlationId, path: "src", deletedCount: 4 },
  { _tag: "FileMetadata", correlationId, size: 3, modified: 1_700_000_000_000, isDirectory: false, isSymlink: false },
  {
    _tag: "FileMetadata",
    correlationId,
    size: 0,
    modified: 1_700_000_000_000,
    created: 1_600_000_000_000,
    isDirectory: true,
    isSymlink: true,
    permissions: 493,
  },
]

const kinds = [
  "NotFound",
  "AlreadyExists",
  "AccessDenied",
  "InvalidPath",
  "DirectoryNotEmpty",
  "NotADirectory",
  "NotAFile",
  "DiskFull",
  "IoError",
  "PathTooLong",
  "Timeout",
] as const

export const faults: ReadonlyArray<FileFault> = [
  ...kinds.map((faultKind) => new FileFault({ correlationId, faultKind, path: "a", message: `read a: ${faultKind}` })),
  new FileFault({ correlationId, faultKind: "DiskFull", path: "a", message: "write a: full (ENOSPC)", code: "ENOSPC" }),
]
