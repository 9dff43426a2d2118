import { describe, expect, it } from "@effect/vitest"
import { findProtectedName, isProtectedName } from "../../src/base/protectedNames.ts"

const namesOf = (path: string): ReadonlyArray<string> => path.split("/")

describe("protected names", () => {
  it.each([
    ...[
      ".git",
      ".git/config",
      ".git/hooks/pre-commit",
      "packages/inner/.git/config",
      ".git/rebase-merge/git-rebase-todo",
    ],
    ...[
      ".env",
      ".envrc",
      "sub/.envrc",
      ".mcp.json",
      ".vscode/tasks.json",
      ".idea/workspace.xml",
      ".claude/settings.json",
    ],
    ...[".bashrc", ".zshenv", ".profile", ".ssh/authorized_keys", ".gitconfig", "home/me/.bash_profile"],
    // What macOS and Windows take for the same.
    ...[
      ".GIT/config",
      ".g\u200cit/config",
      ".Git./config",
      ".git /config",
      ".git::$INDEX_ALLOCATION/config",
      ".BashRC",
    ],
    ...[
      "GIT~1/config",
      "BASHRC~1",
      "VSCODE~1/tasks.json",
      "MCP~1.JSO",
      ".ba\u017fhrc",
      ".v\u017fcode/x",
      ".\u{ff27}it",
    ],
    ...["a/../.git", "..", "src\\.git\\config", "./.git"],
  ])("%s is protected", (path) => {
    expect(isProtectedName(namesOf(path))).toBe(true)
  })

  it.each([
    ...[
      "",
      ".",
      "src/main.ts",
      ".gitignore",
      ".gitattributes",
      ".github/workflows/ci.yml",
      "git/config",
      ".environment",
    ],
    ...["env", "notes~1", "a/.env.example", ".config/x", "bashrc", "..."],
  ])("%s is not", (path) => {
    expect(isProtectedName(namesOf(path))).toBe(false)
  })

  it("returns the name", () => {
    expect(findProtectedName(["a", ".GIT", "config"])).toBe(".git")
  })
})
