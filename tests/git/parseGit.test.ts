import { expect, it } from "@effect/vitest"
import { parseBranches, parseLog, parseStatus } from "../../src/git/parseGit.ts"

const hash = "0123456789abcdef0123456789abcdef01234567"

it("parses a status: changed, renamed, unmerged and untracked files, blanks in names", () => {
  const text = [
    `# branch.oid ${hash}`,
    "# branch.head topic/a",
    "# branch.upstream origin/topic/a",
    "# branch.ab +1 -2",
    `1 .M N... 100644 100644 100644 ${hash} ${hash} a file.txt`,
    `2 R. N... 100644 100644 100644 ${hash} ${hash} R100 new name.txt`,
    "old name.txt",
    `u UU N... 100644 100644 100644 100644 ${hash} ${hash} ${hash} both.txt`,
    "? un tracked.txt",
    "",
  ].join("\0")
  expect(parseStatus(text)).toEqual({
    commit: hash,
    branch: "topic/a",
    files: [
      { path: "a file.txt", index: ".", worktree: "M" },
      { path: "new name.txt", index: "R", worktree: ".", from: "old name.txt" },
      { path: "both.txt", index: "U", worktree: "U" },
      { path: "un tracked.txt", index: "?", worktree: "?" },
    ],
  })
})

it("has no branch and no commit in an empty repository", () => {
  expect(parseStatus("# branch.oid (initial)\0# branch.head (detached)\0")).toEqual({ files: [] })
})

it("parses a log: merges, bodies, none", () => {
  const text =
    `a\0b c\0A U\0a@b\x002026-01-01T00:00:00Z\0Subject\n\nBody\n\n\0b\0\0A\0a@b\x002026-01-01T00:00:00Z\0First\n\0`
  expect(parseLog(text).map(({ message, parents }) => [message, parents])).toEqual([
    ["Subject\n\nBody", ["b", "c"]],
    ["First", []],
  ])
  expect(parseLog("")).toEqual([])
})

it("parses branches, and the present one", () => {
  expect(parseBranches(" \0main\0a\n*\0topic\0b\n")).toEqual({
    current: "topic",
    branches: [{ name: "main", commit: "a" }, { name: "topic", commit: "b" }],
  })
  expect(parseBranches("")).toEqual({ branches: [] })
})
