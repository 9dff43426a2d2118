/** Tests attacks of a model that tries to avoid the questions and denials of its policy. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Stream from "effect/Stream"
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Shell, ShellExec } from "../../mod.ts"
import { Files, KernelFileSystem, LocalFileSystem, MemoryFileSystem } from "../../src/leaves/files/mod.ts"
import * as KernelShell from "../../src/leaves/kernel/KernelShell.ts"
import { Sandbox } from "../../src/sandbox/mod.ts"
import {
  ApprovalPolicy,
  type ApprovalRequest,
  type ApprovalRule,
  Approver,
  readFile,
  Spell,
  Spellbook,
  SpellInvocation,
  writeFile,
} from "../../src/spell/mod.ts"

const { ask, make, workspaceWrite } = ApprovalPolicy

const decide = (
  policy: ApprovalPolicy.ApprovalPolicy,
  name: string,
  input: Schema.Json,
  remembered?: ReadonlyArray<ApprovalRule>,
): string => {
  const call = Spellbook.inspect(Spellbook.standard, SpellInvocation.make({ name, arguments: input }))
  return ApprovalPolicy.decide(policy, Result.getOrThrow(call), remembered).decision
}
const denying = (rule: Omit<ApprovalRule, "decision">) =>
  make({ rules: [{ decision: "deny", ...rule }], otherwise: "allow" })
const allowing = (rule: Omit<ApprovalRule, "decision">) => make({ rules: [{ decision: "allow", ...rule }] })
const words = (line: string): Schema.Json => {
  const [command = "", ...rest] = line.split(" ")
  return { command, arguments: rest }
}

describe("a path", () => {
  it.each([
    ...[".git/config", "./.git/config", "/.git/config", ".GIT/config", "a/.Git/hooks/x", ".git"],
    // Refused by every leaf; asked about all the same.
    ...["./a/../.git/config", "a//.git/config", ".git/", ".git\0/x", "a/./.git/x"],
    // One name where Unicode's forms, and characters without a width, do not count.
    ...[".g\u200dit/config", ".git\u200c/config", "\uff0egit/config", ".g\u0131t/config", ".gi\u00adt/config"],
  ])("of .git is asked about however it is written: %j", (path) => {
    expect(decide(workspaceWrite, "write_file", { path, content: "x" })).toBe("ask")
    expect(decide(workspaceWrite, "delete_file", { path, recursive: true })).toBe("ask")
  })

  it("below a folder that is denied is denied, as .gitignore has it", () => {
    for (const path of ["secrets", "**/secrets", "secrets/**", "/secrets", "SECRETS"]) {
      for (const wanted of ["secrets/key", "secrets/deep/key", "Secrets/key", "\u017fecrets/key", "secrets"]) {
        expect([path, wanted, decide(denying({ path }), "read_file", { path: wanted })]).toEqual([path, wanted, "deny"])
      }
      expect(decide(denying({ path }), "read_file", { path: "secret/key" })).toBe("allow")
      expect(decide(denying({ path }), "list_directory", { path: "", recursive: true })).toBe("deny")
      expect(decide(denying({ path }), "search_files", { globs: ["secrets/**"] })).toBe("deny")
    }
  })

  it.each(["secrets/", "./secrets/**", "a/../b", "a//b", "", "/", "."])(
    "that no file can have, such as %j, is not a rule: it would deny nothing",
    (path) => {
      expect(() => denying({ path })).toThrow("rule 1 matches nothing: path")
    },
  )

  it("of thousands of folders is decided about in the time of its length", () => {
    const path = `${"a/".repeat(2_000)}b`
    const policy = denying({ path: "**/a/**/a/**/a/**/c" })
    expect(decide(policy, "read_file", { path })).toBe("allow")
    expect(decide(policy, "read_file", { path: `${path.slice(0, -1)}c/d` })).toBe("deny")
  })

  it("that is allowed is not all below it", () => {
    const remembered: ReadonlyArray<ApprovalRule> = [{ decision: "allow", spell: "delete_file", path: "/src" }]
    expect(decide(ask, "delete_file", { path: "src" }, remembered)).toBe("allow")
    expect(decide(ask, "delete_file", { path: "src", recursive: true }, remembered)).toBe("ask")
    for (const path of ["src/**", "**", "*", "**/*"]) {
      expect([path, decide(allowing({ path }), "delete_file", { path: "src", recursive: true })]).toEqual([
        path,
        "allow",
      ])
    }
    expect(decide(allowing({ path: "src/*" }), "delete_file", { path: "src/a", recursive: true })).toBe("ask")
  })

  it("of a patch is each one of it, old and new", () => {
    const patches = [
      "diff --git a/x b/x\nsimilarity index 100%\nrename from x\nrename to .git/hooks/pre-commit\n",
      "diff --git a/x b/y\nsimilarity index 100%\ncopy from .git/config\ncopy to y\n",
      "*** Begin Patch\n*** Update File: a\n*** Move to: .git/config\n@@\n-a\n+b\n*** End Patch",
      "*** Begin Patch\n*** Add File: a\n+b\n*** Delete File: .git/config\n*** End Patch",
      '--- "a/x"\n+++ "b/.git/con\\146ig"\n@@ -0,0 +1 @@\n+x\n',
      "--- a/.git/config\n+++ b/x\n@@ -1 +1 @@\n-a\n+x\n",
    ]
    for (const patch of patches) {
      expect([patch, decide(workspaceWrite, "apply_patch", { patch })]).toEqual([patch, "ask"])
    }
    const plain = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+x\n"
    expect(decide(workspaceWrite, "apply_patch", { patch: plain })).toBe("allow")
  })
})

describe("a command", () => {
  it.each([
    ...["rm -rf x", "/bin/rm x", "RM x", "rm.exe x", "./rm", "env rm x", "env A=1 rm x", "xargs rm", "timeout 5 rm x"],
    ...["nice nohup rm x", "find . -exec rm {} ;", "busybox rm x", "sudo rm x", "flock f rm x"],
    // These cannot be told: code, and what is read from stdin.
    ...["bash", "sh -s", "python3 -c x", "node -e x", "perl -e x", "env -S rm", "env PATH=. ls", "env LD_PRELOAD=x ls"],
  ])("that is denied is denied behind others: %s", (line) => {
    for (const command of ["rm *", "rm"]) {
      expect(decide(denying({ command }), "run_command", words(line))).toBe("deny")
      expect(decide(denying({ command }), "start_process", words(line))).toBe("deny")
    }
  })

  it("that is denied is denied in the script of a shell, and others are not", () => {
    const shell = (script: string) =>
      decide(denying({ command: "rm" }), "run_command", { command: "sh", arguments: ["-c", script] })
    expect([shell("ls; env rm x"), shell("$X"), shell("rm() { ls; }"), shell("ls | wc -l")]).toEqual([
      ...["deny", "deny", "deny", "allow"],
    ])
    for (const line of ["ls rm", "git commit -m x", "npm test", "make", "python3 a.py", "rmdir x", "env A=1 ls"]) {
      expect([line, decide(denying({ command: "rm *" }), "run_command", words(line))]).toEqual([line, "allow"])
    }
  })

  it("that is denied is denied with other words between and behind", () => {
    const policy = denying({ command: "git push" })
    for (const line of ["git push", "git push -f x", "git -C x push", "git -c a=b push", "git --no-pager push"]) {
      expect([line, decide(policy, "run_command", words(line))]).toEqual([line, "deny"])
    }
    expect(decide(policy, "run_command", words("git -c alias.x=!rm x"))).toBe("deny")
    expect(decide(policy, "run_command", words("git status"))).toBe("allow")
  })

  it("that is allowed is allowed as it stands, and in the workspace", () => {
    const policy = allowing({ command: "git status *" })
    const inFolder = (cwd: string) => decide(policy, "run_command", { command: "git", arguments: ["status"], cwd })
    expect([inFolder("."), inFolder("evil"), inFolder("/tmp/evil"), inFolder("../evil"), inFolder("")]).toEqual([
      ...["allow", "ask", "ask", "ask", "ask"],
    ])
    expect(decide(policy, "run_script", { script: "git status", cwd: "evil" })).toBe("ask")
    const named = allowing({ command: "git status *", arguments: { cwd: "packages/*" } })
    expect(decide(named, "run_script", { script: "git status", cwd: "packages/a" })).toBe("allow")
    expect(decide(named, "run_script", { script: "git status" })).toBe("ask")
    for (const line of ["env git status", "./git status", "git.exe status", "GIT status", "git -C x status"]) {
      expect([line, decide(policy, "run_command", words(line))]).toEqual([line, "ask"])
    }
  })

  it.each(["", "  "])("without words is not a rule: %j", (command) => {
    expect(() => denying({ command })).toThrow("command is empty")
  })
})

describe("a command that cannot be known before it runs", () => {
  it("is denied by a rule about commands, and allowed by none", () => {
    const input = { id: "process-1", text: "ls\n" }
    for (const command of ["ls", "*", "ls *"]) expect(decide(allowing({ command }), "send_input", input)).toBe("ask")
    expect(decide(denying({ command: "rm *" }), "send_input", input)).toBe("deny")
    for (const language of ["python", "Bash", "powershell", "posix"]) {
      expect(decide(denying({ command: "rm *" }), "execute_code", { language, code: "ls" })).toBe("deny")
    }
    expect(decide(denying({ command: "rm *" }), "execute_code", { language: "bash", code: "ls" })).toBe("allow")
    expect(decide(allowing({ command: "python *" }), "execute_code", { language: "python", code: "1" })).toBe("allow")
  })
})

describe("an argument", () => {
  it("that is denied is denied in any case, and in each item", () => {
    const denied = denying({ arguments: { content: "*evil*" } })
    expect(decide(denied, "write_file", { path: "a", content: "an EVIL text" })).toBe("deny")
    const edits = [{ oldText: "a", newText: "b" }, { oldText: "a", newText: "Evil" }]
    expect(decide(denying({ arguments: { "edits.*.newText": "evil" } }), "edit_file", { path: "a", edits })).toBe(
      "deny",
    )
    const allowed = allowing({ arguments: { "edits.*.newText": "b" } })
    expect(decide(allowed, "edit_file", { path: "a", edits })).toBe("ask")
    expect(decide(allowed, "edit_file", { path: "a", edits: edits.slice(0, 1) })).toBe("allow")
  })

  it("is no key of a prototype", () => {
    const policy = allowing({ arguments: { "__proto__": "*", "constructor.name": "*" } })
    expect(decide(policy, "write_file", { path: "a", content: "x" })).toBe("ask")
    const sneaky: Schema.Json = JSON.parse(`{"path":"a","content":"x","__proto__":{"path":".git/config"}}`)
    const call = Spellbook.inspect(Spellbook.standard, SpellInvocation.make({ name: "write_file", arguments: sneaky }))
    expect(Result.isFailure(call)).toBe(true)
  })
})

/** Casts behind a policy, and gives the questions. */
const castBehind = async (
  policy: ApprovalPolicy.ApprovalPolicy,
  book: Spellbook.Spellbook<never>,
  name: string,
  input: Schema.Json,
  options: { readonly decision?: "allow" | "deny" } = {},
) => {
  const questions: Array<ApprovalRequest> = []
  const approver = Approver.make((question) =>
    Effect.sync(() => {
      questions.push(question)
      return { decision: options.decision ?? "deny" }
    })
  )
  const program = Effect.gen(function* () {
    const spells = yield* ApprovalPolicy.guardService(policy, book, { files: "none" })(yield* Spellbook.service(book))
    return yield* Effect.result(Spellbook.castWith(spells, name, input))
  })
  return { questions, result: await Effect.runPromise(Effect.provide(program, Approver.layer(approver))) }
}

describe("a link", () => {
  const inRepository = async (
    policy: ApprovalPolicy.ApprovalPolicy,
    name: string,
    input: Schema.Json,
  ): Promise<readonly [questions: ReadonlyArray<string>, outcome: string, folder: string]> => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-links-"))
    try {
      mkdirSync(join(folder, ".git/hooks"), { recursive: true })
      mkdirSync(join(folder, "secrets"))
      mkdirSync(join(folder, "src"))
      writeFileSync(join(folder, "secrets/key"), "KEY\n")
      // As a repository may bring them.
      for (
        const [to, at] of [[".git/hooks", "docs"], ["../secrets", "src/s"], ["secrets/key", "k"], [
          "..",
          "out",
        ]] as const
      ) {
        symlinkSync(to, join(folder, at))
      }
      const questions: Array<string> = []
      const approver = Approver.make(({ about }) =>
        Effect.sync(() => {
          questions.push(about)
          return { decision: "deny" }
        })
      )
      const program = Effect.gen(function* () {
        const book = Spellbook.make(readFile, writeFile)
        const spells = yield* ApprovalPolicy.guardService(policy, book)(yield* Spellbook.service(book))
        return yield* Effect.match(Spellbook.castWith(spells, name, input), {
          onSuccess: () => "done",
          onFailure: ({ faultKind }) => faultKind,
        })
      })
      const layer = Layer.merge(LocalFileSystem.layer({ rootPath: folder }), Approver.layer(approver))
      const outcome = await Effect.runPromise(Effect.provide(program, layer))
      expect(readFileSync(join(folder, "secrets/key"), "utf8")).toBe("KEY\n")
      expect(() => lstatSync(join(folder, ".git/hooks/pre-commit"))).toThrow()
      return [questions, outcome, folder]
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }

  it("does not bypass a question about .git", async () => {
    const [questions, outcome] = await inRepository(workspaceWrite, "write_file", {
      path: "docs/pre-commit",
      content: "x",
    })
    expect(questions).toEqual(["write_file docs/pre-commit; a link leads from docs/pre-commit to another place"])
    expect(outcome).toBe("Denied")
    const [again] = await inRepository(workspaceWrite, "write_file", { path: "out/x", content: "x" })
    expect(again.length).toBe(1)
    const [none, done] = await inRepository(workspaceWrite, "write_file", { path: "src/new/a.ts", content: "x" })
    expect([none, done]).toEqual([[], "done"])
  })

  it("is looked for in the files of the context, which the guard needs unless it is told that there are none", async () => {
    const book = Spellbook.make(readFile)
    // @ts-expect-error the guard needs Files
    const guarded: Effect.Effect<unknown, unknown, Approver.Approver> = ApprovalPolicy.guardService(ask, book)({
      request: () => Stream.empty,
    })
    const approver = Approver.layer(Approver.make(() => Effect.succeed({ decision: "deny" })))
    expect(Exit.hasDies(await Effect.runPromiseExit(Effect.provide(guarded, approver)))).toBe(true)
  })

  it("bypasses neither a denial nor the limits of a permission", async () => {
    const policy = denying({ path: "secrets/**" })
    for (const path of ["k", "src/s/key", "docs/x"]) {
      const [questions, outcome] = await inRepository(policy, "read_file", { path })
      expect([path, questions, outcome]).toEqual([path, [], "Denied"])
    }
    const [questions] = await inRepository(allowing({ path: "src/**" }), "write_file", {
      path: "src/s/key",
      content: "x",
    })
    expect(questions.length).toBe(1)
    const all = allowing({ path: "**" })
    expect((await inRepository(all, "read_file", { path: "src/s/key" })).slice(0, 2)).toEqual([[], "done"])
  })
})

describe("a dangling link", () => {
  it("does not bypass a question if the leaf writes through it", async () => {
    const asked: Array<string> = []
    const approver = Approver.make(({ about }) =>
      Effect.sync(() => {
        asked.push(about)
        return { decision: "deny" }
      })
    )
    const program = Effect.scoped(Effect.gen(function* () {
      const sandbox = yield* Sandbox.make()
      const shell = yield* KernelShell.make(sandbox)
      const script = "mkdir -p /w/.git/hooks; ln -s .git/hooks/pre-commit /w/later"
      yield* Effect.provideService(Shell.run(ShellExec.shell(script)), Shell, shell)
      const files = yield* KernelFileSystem.make(sandbox, { rootPath: "/w" })
      const book = Spellbook.make(writeFile)
      const write = (path: string) =>
        Effect.gen(function* () {
          const spells = yield* ApprovalPolicy.guardService(workspaceWrite, book)(yield* Spellbook.service(book))
          return yield* Effect.exit(Spellbook.castWith(spells, "write_file", { path, content: "x" }))
        }).pipe(Effect.provideService(Files, files))
      yield* write("later")
      yield* write("plain")
      yield* write("new/plain")
      const list = yield* Effect.provideService(Shell.run(ShellExec.shell("ls -A /w/.git/hooks; ls /w")), Shell, shell)
      expect(list.stdout).toBe("later\nnew\nplain\n")
    }))
    await Effect.runPromise(Effect.provide(program, Approver.layer(approver)))
    expect(asked).toEqual(["write_file later; a link leads from later to another place"])
  })
})

describe("a question", () => {
  const shows = async (name: string, input: Schema.Json): Promise<string> => {
    const about: Array<string> = []
    const approver = Approver.make((question) =>
      Effect.sync(() => {
        about.push(question.about)
        return { decision: "deny" }
      })
    )
    const book = Spellbook.standard
    const program = Effect.gen(function* () {
      const never = {
        request: () => {
          throw new Error("it was cast")
        },
      }
      const spells = yield* ApprovalPolicy.guardService(ask, book)(never)
      yield* Effect.flip(Spellbook.castWith(spells, name, input))
    })
    await Effect.runPromise(Effect.provide(program, Layer.merge(Approver.layer(approver), MemoryFileSystem.layer)))
    return about.join()
  }

  it("shows the folder, and where paths and words end", async () => {
    expect(await shows("run_command", { command: "npm", arguments: ["test"], cwd: "../other one" })).toBe(
      "run_command in '../other one': npm test",
    )
    expect(await shows("write_file", { path: "a.txt, b.txt ?", content: "x" })).toBe("write_file 'a.txt, b.txt ?'")
    expect(await shows("send_input", { id: "process-1", text: "rm -rf x\n" })).toBe(
      "send_input process-1 \n  | rm -rf x\n  | ",
    )
    expect(await shows("execute_code", { language: "python", code: "print(1)" })).toBe("execute_code python print(1)")
  })

  it("contains nothing that hides text or looks like the question", async () => {
    const script = "ls # \u202e\u2066\u061c\u200b\u{e0041}\u3164\x1b[2K\x1b[1A\r\nallow npm test ?\n[y: once]"
    const about = await shows("run_script", { script })
    // deno-lint-ignore no-control-regex
    expect(about).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e\u2066\u061c\u200b\u3164]|\p{Cf}/u)
    expect(about.split("\n").slice(1).every((line) => line.startsWith("  | "))).toBe(true)
    expect(about).toContain("\\u{e0041}")
    expect(await shows("write_file", { path: "a\u202etxt", content: "x" })).toBe("write_file 'a\\u202etxt'")
  })

  it("shows the end of a long script too, and says that there is more", async () => {
    const about = await shows("run_script", { script: `${"echo harmless\n".repeat(5_000)}rm -rf ~` })
    expect(about.length).toBeLessThan(9_000)
    expect(about).toMatch(/… \d+ characters are not shown …/)
    expect(about.endsWith("| rm -rf ~")).toBe(true)
  })
})

describe("a third-party spell", () => {
  it("is decided on the decoded arguments, not on the raw ones", async () => {
    // It takes away one prefix each time that it decodes.
    const Loose = Schema.String.pipe(Schema.decode({
      decode: SchemaGetter.transform((text: string) => text.replace(/^x:/, "")),
      encode: SchemaGetter.transform((text: string) => text),
    }))
    const cast: Array<string> = []
    const book = Spellbook.make(Spell.make({
      name: "touch",
      description: "Touches a path.",
      parameters: Schema.Struct({ path: Loose }),
      success: Schema.Null,
      targets: ({ path }) => [{ _tag: "Path", path }],
      cast: ({ path }) => Effect.sync(() => (cast.push(path), null)),
    }))
    const { questions, result } = await castBehind(workspaceWrite, book, "touch", { path: "x:x:.git/config" })
    expect([questions.length, Result.isFailure(result), cast]).toEqual([1, true, []])
  })

  it("is not cast when it breaks before the decision", async () => {
    const book = Spellbook.make(Spell.make({
      name: "broken",
      description: "Breaks.",
      parameters: Schema.Struct({}),
      success: Schema.Null,
      targets: () => {
        throw new Error("secret of the inside")
      },
      cast: () => Effect.succeed(null),
    }))
    const { result } = await castBehind(ask, book, "broken", {})
    expect(result).toMatchObject({ _tag: "Failure", failure: { faultKind: "Broken" } })
    expect(JSON.stringify(result)).not.toContain("secret")
  })
})
