import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import type { ApproverService } from "../../src/spell/ApprovalBranch.ts"
import { inspect } from "../../src/spell/castSpell.ts"
import { Files, MemoryFileSystem } from "../../src/leaves/files/mod.ts"
import { Journal, MemoryJournal } from "../../src/journal/Journal.ts"
import * as KernelShell from "../../src/leaves/kernel/KernelShell.ts"
import {
  ApprovalMemory,
  ApprovalPolicy,
  type ApprovalReply,
  type ApprovalRequest,
  type ApprovalRule,
  Approver,
  deleteFile,
  editFile,
  OpenQuestions,
  readFile,
  runCommand,
  searchFiles,
  Spell,
  Spellbook,
  SpellInvocation,
  writeFile,
} from "../../src/spell/mod.ts"

const runScript = Spell.make({
  name: "run_script",
  description: "Runs a script.",
  parameters: Schema.Struct({ script: Schema.String }),
  success: Schema.String,
  targets: ({ script }) => [{ _tag: "Script", script }],
  cast: ({ script }) => Effect.succeed(script),
})
const book = Spellbook.make(readFile, writeFile, editFile, deleteFile, runCommand, runScript, searchFiles)

const decide = (
  policy: ApprovalPolicy.ApprovalPolicy,
  name: string,
  input: Schema.Json,
  remembered?: ReadonlyArray<ApprovalRule>,
): string => {
  const call = inspect(book, SpellInvocation.make({ name, arguments: input }))
  return Result.isSuccess(call) ? ApprovalPolicy.decide(policy, call.success, remembered).decision : "invalid"
}
const write = (path: string) => ({ path, content: "x" })
const command = (line: string) => {
  const [command = "", ...words] = line.split(" ")
  return { command, arguments: words }
}

const { ask, full, make, readOnly, workspaceWrite } = ApprovalPolicy

describe("an approval policy", () => {
  it.each([
    [readOnly, ["allow", "deny", "deny", "deny"]],
    [ask, ["allow", "ask", "ask", "ask"]],
    [workspaceWrite, ["allow", "allow", "ask", "ask"]],
    [full, ["allow", "allow", "allow", "allow"]],
  ])("has the common presets %#", (policy, expected) => {
    expect([
      decide(policy, "read_file", { path: ".git/config" }),
      decide(policy, "write_file", write("src/a.ts")),
      decide(policy, "write_file", write("sub/.git/hooks/pre-commit")),
      decide(policy, "run_command", command("npm test")),
    ]).toEqual(expected)
  })

  it("asks for .git in any case, and for the folder itself", () => {
    for (const path of [".git/config", "a/.GIT/config", "./.git/x", "/.git/x"]) {
      expect([path, decide(workspaceWrite, "write_file", write(path))]).toEqual([path, "ask"])
    }
    expect(decide(workspaceWrite, "delete_file", { path: ".git", recursive: true })).toBe("ask")
  })

  it("applies the strictest matching rule, in any order", () => {
    const rules: ReadonlyArray<ApprovalRule> = [
      { decision: "deny", path: "secrets/**" },
      { decision: "allow", spell: "write_*" },
      { decision: "ask", path: "*.lock" },
    ]
    for (const each of [rules, rules.toReversed()]) {
      const policy = make({ rules: each, otherwise: "ask" })
      expect(decide(policy, "write_file", write("a.ts"))).toBe("allow")
      expect(decide(policy, "write_file", write("deep/deno.lock"))).toBe("ask")
      expect(decide(policy, "write_file", write("secrets/a.lock"))).toBe("deny")
      expect(decide(policy, "write_file", write("SECRETS/a"))).toBe("deny")
      expect(decide(policy, "edit_file", { path: "b.ts", edits: [{ oldText: "a", newText: "b" }] })).toBe("ask")
    }
  })

  it("reads rules that allow narrowly: case counts, and so does the name of the program", () => {
    const policy = make({
      rules: [{ decision: "allow", path: "src/**" }, { decision: "allow", command: "git status" }],
    })
    expect(decide(policy, "write_file", write("src/a"))).toBe("allow")
    expect(decide(policy, "write_file", write("SRC/a"))).toBe("ask")
    expect(decide(policy, "write_file", write("src/../etc/passwd"))).toBe("ask")
    expect(decide(policy, "run_command", command("git status"))).toBe("allow")
    for (const line of ["git status -s", "./git status", "git", "/tmp/git status", "Git status"]) {
      expect([line, decide(policy, "run_command", command(line))]).toEqual([line, "ask"])
    }
    // One word that looks like two.
    expect(decide(policy, "run_command", { command: "git status" })).toBe("ask")
  })

  it("applies a denial or a question about a path to the folders that hold it", () => {
    const policy = make({ rules: [{ decision: "deny", path: "conf/secrets/**" }], otherwise: "allow" })
    const remove = (path: string, recursive = true) => decide(policy, "delete_file", { path, recursive })
    for (const path of ["", "conf", "CONF", "conf/secrets"]) expect([path, remove(path)]).toEqual([path, "deny"])
    for (const path of ["src", "conf/other", "conf.d"]) expect([path, remove(path)]).toEqual([path, "allow"])
    expect(remove("conf", false)).toBe("allow")
    expect(decide(policy, "search_files", { pattern: "key" })).toBe("deny")
    expect(decide(policy, "search_files", { pattern: "key", path: "src" })).toBe("allow")
    expect(decide(workspaceWrite, "delete_file", { path: "src", recursive: true })).toBe("ask")
    expect(decide(workspaceWrite, "search_files", { pattern: "key" })).toBe("allow")
    const narrow = make({ rules: [{ decision: "allow", path: "conf/*" }] })
    expect(decide(narrow, "search_files", { pattern: "key", path: "" })).toBe("ask")
  })

  it("matches commands by their words, and arguments by globs", () => {
    const policy = make({
      rules: [
        { decision: "allow", command: "npm test *" },
        { decision: "deny", command: "rm *" },
        { decision: "allow", spell: "write_file", arguments: { content: "x*" } },
      ],
    })
    expect(decide(policy, "run_command", command("npm test"))).toBe("allow")
    expect(decide(policy, "run_command", command("npm test -- a b"))).toBe("allow")
    expect(decide(policy, "run_command", command("npm install"))).toBe("ask")
    expect(decide(policy, "run_command", command("/bin/rm -rf /"))).toBe("deny")
    expect(decide(policy, "write_file", { path: "a", content: "xyz" })).toBe("allow")
    expect(decide(policy, "write_file", { path: "a", content: "yx" })).toBe("ask")
  })

  it("looks at each command of a script, and treats an unknown one as any command", () => {
    const policy = make({
      rules: [{ decision: "allow", command: "git *" }, { decision: "allow", command: "ls" }],
      otherwise: "ask",
    })
    const script = (text: string) => decide(policy, "run_script", { script: text })
    expect(script("git log --format='%h $1' \"é\"")).toBe("allow")
    expect(script("git status && ls | git diff; ls 2>/dev/null")).toBe("allow")
    for (
      const text of [
        "git status; rm -rf x",
        "ls $(rm x)",
        "ls `rm x`",
        "$CMD",
        "git $X",
        "ls > out",
        "PATH=. git status",
        "git() { rm x; }; git status",
        "eval ls",
        "alias ls=rm\nls",
        "export PATH=.; git status",
        "ls; exec rm x",
        "command ls",
        "for a in 1; do ls; done",
        "ls <<< $(rm x)",
        "ls *",
        // dash runs the `rm`, bash has it in a word.
        "git log $'\\'; rm x; #'",
        'git log $"x"',
        "git log &> /dev/null rm x",
        "git log {a,b}",
        "git log 10>/dev/null",
        "git log {a}>/dev/null",
        "git log |& ls",
        "ls\u00a0x",
        "ls &\u2003rm x",
        "if",
        "cat <<E\n$(rm x)\nE",
      ]
    ) expect([text, script(text)]).toEqual([text, "ask"])
    const open = make({ rules: [{ decision: "deny", command: "rm *" }], otherwise: "allow" })
    expect(decide(open, "run_script", { script: "ls; echo a" })).toBe("allow")
    expect(decide(open, "run_script", { script: "ls; rm a" })).toBe("deny")
    expect(decide(open, "run_script", { script: "$X a" })).toBe("deny")
  })

  it("answers questions from remembered rules, which lift no denial", () => {
    const policy = make({ rules: [{ decision: "deny", command: "rm *" }], otherwise: "ask" })
    const all: ReadonlyArray<ApprovalRule> = [{ decision: "allow", command: "*" }]
    expect(decide(policy, "run_command", command("ls"), all)).toBe("allow")
    expect(decide(policy, "run_command", command("rm a"), all)).toBe("deny")
    expect(decide(readOnly, "run_command", command("ls"), all)).toBe("deny")
  })

  it("refuses settings that it does not have", () => {
    const rules = JSON.parse(`[{"decision":"allow","comand":"ls"}]`)
    expect(() => make({ rules })).toThrow("comand")
  })
})

const world = Layer.mergeAll(MemoryFileSystem.layer, KernelShell.layer, MemoryJournal.layer)
type World = Layer.Success<typeof world>

const withApprover = <A, E>(
  approver: ApproverService,
  program: Effect.Effect<A, E, World | Approver.Approver>,
): Promise<A> =>
  Effect.runPromise(program.pipe(Effect.provideService(Approver.Approver, approver), Effect.provide(world)))

/** An approver that gives these replies in turn, and keeps what it was asked. */
const scripted = (questions: Array<ApprovalRequest>, ...replies: ReadonlyArray<ApprovalReply>): ApproverService =>
  Approver.make((question) =>
    Effect.sync(() => {
      questions.push(question)
      return replies[questions.length - 1] ?? { decision: "deny", reason: "no more" }
    })
  )

/** Waits until this many questions are open. */
const eventuallyOpen = <A>(open: Effect.Effect<ReadonlyArray<A>>, length: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    while ((yield* open).length !== length) yield* Effect.sleep("5 millis")
  })

const guarded = (policy: ApprovalPolicy.ApprovalPolicy, options?: ApprovalPolicy.ApprovalGuardOptions) =>
  Effect.flatMap(Spellbook.service(book), ApprovalPolicy.guardService(policy, book, options))

describe("a guarded service", () => {
  it("casts allowed calls, and explains denials to the model", async () => {
    const questions: Array<ApprovalRequest> = []
    const approver = scripted(questions, { decision: "allow" }, { decision: "deny", reason: "use b.txt" })
    await withApprover(
      approver,
      Effect.gen(function* () {
        const spells = yield* guarded(ask)
        yield* Spellbook.castWith(spells, "write_file", write("a.txt"))
        expect(yield* Files.readText("a.txt")).toBe("x")
        const fault = yield* Effect.flip(Spellbook.castWith(spells, "write_file", write("c.txt")))
        expect(fault).toMatchObject({ faultKind: "Denied", spell: "write_file" })
        expect(fault.message).toContain("use b.txt")
        expect(yield* Effect.flip(Files.readText("c.txt"))).toMatchObject({ faultKind: "NotFound" })
        expect(yield* Spellbook.castWith(spells, "read_file", { path: "a.txt" })).toMatchObject({ totalLines: 1 })
      }),
    )
    expect(questions.map(({ about }) => about)).toEqual(["write_file a.txt", "write_file c.txt"])
    expect(questions[0]?.suggestions).toEqual([{ decision: "allow", spell: "write_file", path: "/a.txt" }])
    expect(questions[0]?.correlationId).toBe(`${questions[0]?.invocationId}/approval`)
  })

  it("denies by the policy without a question, with the reason of the rule", async () => {
    const questions: Array<ApprovalRequest> = []
    const policy = make({ rules: [{ decision: "deny", path: "secrets/**", reason: "secrets are not for models" }] })
    const fault = await withApprover(
      scripted(questions),
      Effect.flatMap(
        guarded(policy),
        (spells) => Effect.flip(Spellbook.castWith(spells, "read_file", { path: "secrets/key" })),
      ),
    )
    expect(fault.message).toContain("secrets are not for models")
    expect(questions).toEqual([])
  })

  it("does not ask about a call that cannot be cast", async () => {
    const questions: Array<ApprovalRequest> = []
    await withApprover(
      scripted(questions),
      Effect.gen(function* () {
        const spells = yield* guarded(ask)
        const unknown = yield* Effect.flip(Spellbook.castWith(spells, "write_fil", {}))
        const invalid = yield* Effect.flip(Spellbook.castWith(spells, "write_file", { path: "a" }))
        expect([unknown.faultKind, invalid.faultKind]).toEqual(["UnknownSpell", "InvalidArguments"])
      }),
    )
    expect(questions).toEqual([])
  })

  it("casts the arguments that were decided about, even if the sent ones change", async () => {
    const input = { path: "a.txt", content: "good" }
    const approver = Approver.make(() =>
      Effect.sync(() => {
        input.content = "evil"
        input.path = "../b.txt"
        return { decision: "allow" }
      })
    )
    await withApprover(
      approver,
      Effect.gen(function* () {
        yield* Spellbook.castWith(yield* guarded(ask), "write_file", input)
        expect(yield* Files.readText("a.txt")).toBe("good")
      }),
    )
  })

  it("remembers for the run only the rules it was asked to", async () => {
    const questions: Array<ApprovalRequest> = []
    const approver = scripted(
      questions,
      { decision: "allow", remember: "run" },
      { decision: "allow" },
      { decision: "allow", remember: "run", rule: { decision: "allow", command: "echo *" } },
    )
    await withApprover(
      approver,
      Effect.gen(function* () {
        const spells = yield* guarded(ask)
        const cast = (name: string, input: Schema.Json) => Spellbook.castWith(spells, name, input)
        yield* cast("write_file", write("a"))
        yield* cast("write_file", write("a"))
        yield* cast("write_file", write("b"))
        yield* cast("run_command", command("echo 1"))
        yield* cast("run_command", command("echo 2 3"))
        yield* Effect.flip(cast("delete_file", { path: "a" }))
      }),
    )
    expect(questions.map(({ about }) => about)).toEqual([
      "write_file a",
      "write_file b",
      "run_command echo 1",
      "delete_file a",
    ])
  })

  it("remembers for the folder in the file that it was given", async () => {
    const questions: Array<ApprovalRequest> = []
    const approver = scripted(questions, { decision: "allow", remember: "folder" }, {
      decision: "allow",
      remember: "run",
    })
    await withApprover(
      approver,
      Effect.gen(function* () {
        const store = yield* MemoryFileSystem.make()
        const cast = (input: Schema.Json) =>
          Effect.gen(function* () {
            const memory = yield* ApprovalMemory.file(store, "approvals.json")
            yield* Spellbook.castWith(yield* guarded(ask, { memory }), "run_command", input)
          })
        yield* cast(command("echo 1"))
        yield* cast(command("echo 1"))
        yield* cast(command("echo 2"))
        expect(questions.length).toBe(2)
        const text = yield* Effect.provideService(Files.readText("approvals.json"), Files, store)
        expect(JSON.parse(text)).toEqual({
          rules: [{ decision: "allow", spell: "run_command", command: "echo 1" }],
        })
        yield* Effect.provideService(Files.write("approvals.json", "{"), Files, store)
        const broken = yield* Effect.flip(ApprovalMemory.file(store, "approvals.json"))
        expect(broken.message).toContain("approvals.json: it has no approval rules")
      }),
    )
  })

  it("adds its rules to the file, and respects rules that another run added or removed", async () => {
    const program = Effect.gen(function* () {
      const store = yield* MemoryFileSystem.make()
      const files = Effect.provideService(Files, store)
      const [one, other] = [yield* ApprovalMemory.file(store, "a.json"), yield* ApprovalMemory.file(store, "a.json")]
      const allow = (command: string): ApprovalRule => ({ decision: "allow", command })
      yield* one.remember(allow("a"), "folder")
      yield* other.remember(allow("b"), "folder")
      expect(yield* (yield* ApprovalMemory.file(store, "a.json")).rules).toEqual([allow("a"), allow("b")])
      yield* files(Files.write("a.json", JSON.stringify({ rules: [allow("b"), { decision: "deny", command: "c" }] })))
      yield* one.remember(allow("d"), "folder")
      expect(JSON.parse(yield* files(Files.readText("a.json"))).rules).toEqual([
        allow("b"),
        { decision: "deny", command: "c" },
        allow("d"),
      ])
      expect(yield* one.rules).toEqual([allow("a"), allow("d")])
      yield* files(Files.write("a.json", "half an ed"))
      yield* one.remember(allow("e"), "folder")
      expect(yield* files(Files.readText("a.json"))).toBe("half an ed")
      expect((yield* one.rules).length).toBe(3)
    })
    await Effect.runPromise(program)
  })

  it("remembers the permissions of a continued run, and none of other runs", async () => {
    const rule: ApprovalRule = { decision: "allow", command: "echo *" }
    const approver = scripted(
      [],
      { decision: "allow", remember: "run" },
      { decision: "allow" },
      { decision: "allow", remember: "run", rule },
      { decision: "allow", remember: "folder" },
      { decision: "deny", remember: "run" },
      { decision: "allow", remember: "run", rule: { decision: "deny" } },
      { decision: "allow", remember: "run" },
    )
    const program = Effect.gen(function* () {
      const spells = yield* guarded(ask)
      const cast = (id: string, name: string, input: Schema.Json) =>
        Effect.exit(Spellbook.castWith(spells, name, input, id))
      yield* cast("run-1/1/1/1", "write_file", write("a"))
      yield* cast("run-1/1/2/1", "write_file", write("once"))
      yield* cast("run-1/2/1/1", "run_command", command("echo 1"))
      yield* cast("run-1/2/2/1", "write_file", write("folder"))
      yield* cast("run-1/2/3/1", "write_file", write("denied"))
      yield* cast("run-1/2/4/1", "write_file", write("c"))
      yield* cast("run-10/1/1/1", "write_file", write("other"))
      const rules = (run: string) => Effect.flatMap(ApprovalMemory.recorded(run), (memory) => memory.rules)
      expect(yield* rules("run-1")).toEqual([{ decision: "allow", spell: "write_file", path: "/a" }, rule])
      expect(yield* rules("run-10")).toEqual([{ decision: "allow", spell: "write_file", path: "/other" }])
      expect(yield* rules("run-")).toEqual([])
    })
    await withApprover(approver, Effect.provide(program, Approver.layerJournaled))
  })

  it("denies when no answer comes in time, and withdraws the question", async () => {
    const program = Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      let isOpen = false
      const approver = Approver.make(() =>
        Effect.andThen(
          Effect.sync(() => void (isOpen = true)),
          Effect.andThen(Deferred.succeed(asked, undefined), Effect.never),
        ).pipe(Effect.ensuring(Effect.sync(() => void (isOpen = false))))
      )
      const spells = yield* Effect.provideService(guarded(ask, { timeout: "1 minute" }), Approver.Approver, approver)
      const cast = yield* Effect.forkChild(Effect.flip(Spellbook.castWith(spells, "write_file", write("a"))))
      yield* Deferred.await(asked)
      yield* TestClock.adjust("59 seconds")
      expect(isOpen).toBe(true)
      yield* TestClock.adjust("1 second")
      const fault = yield* Fiber.join(cast)
      expect(fault).toMatchObject({ faultKind: "Denied" })
      expect(fault.message).toContain("no answer within 1m")
      expect(isOpen).toBe(false)
    })
    await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(world, TestClock.layer()))))
  })

  it("has questions and answers in a journal", async () => {
    const approver = scripted([], { decision: "allow", by: "ada" }, { decision: "deny" })
    const program = Effect.gen(function* () {
      const spells = yield* guarded(ask)
      yield* Spellbook.castWith(spells, "write_file", write("a"))
      yield* Effect.flip(Spellbook.castWith(spells, "write_file", write("b")))
      const entries = yield* Journal.read({ filter: { branch: "approval" } })
      expect(entries.map(({ tag }) => tag)).toEqual([
        ...["ApprovalRequest", "LeaseTaken", "ApprovalAnswer"],
        ...["ApprovalRequest", "LeaseTaken", "ApprovalAnswer"],
      ])
      expect(entries[2]?.body).toMatchObject({ decision: "allow", by: "ada" })
    })
    await withApprover(approver, Effect.provide(program, Approver.layerJournaled))
  })

  it("can be answered by another process on the journal; a question without an approver is denied", async () => {
    const approver = Approver.make(({ about }) => Effect.succeed({ decision: "deny", reason: `not ${about}` }))
    const program = Effect.gen(function* () {
      const alone = yield* Effect.flip(Spellbook.castWith(yield* guarded(ask), "write_file", write("a")))
      expect(alone.message).toContain(
        "no one could be asked (approval: nothing was done: no daemon took it within 100ms",
      )
      const daemon = yield* Effect.provideService(Approver.serve(), Approver.Approver, approver)
      yield* daemon.start
      const answered = yield* Effect.flip(Spellbook.castWith(yield* guarded(ask), "write_file", write("b")))
      expect(answered.message).toContain("not write_file b")
    })
    const layer = Approver.layerDaemonWith({ acceptTimeout: "100 millis" }).pipe(Layer.provideMerge(world))
    await Effect.runPromise(Effect.scoped(Effect.provide(program, layer)))
  })

  it("stops asking about calls that another answer allows, and keeps asking about others", async () => {
    const questions = Effect.runSync(OpenQuestions.make())
    await withApprover(
      questions,
      Effect.gen(function* () {
        const spells = yield* guarded(ask)
        const calls = yield* Effect.forEach(
          ["a.txt", "a.txt", "b.txt", "c.txt"],
          (path) => Effect.forkChild(Spellbook.castWith(spells, "write_file", write(path)), { startImmediately: true }),
        )
        const open = Effect.map(questions.list, (list) => list.map(({ question }) => question))
        yield* eventuallyOpen(open, 4)
        const [first, , third] = yield* open
        yield* questions.answer(first?.correlationId ?? "", { decision: "allow", remember: "run" })
        yield* eventuallyOpen(open, 2)
        expect((yield* open).map(({ about }) => about)).toEqual(["write_file b.txt", "write_file c.txt"])
        yield* Effect.forEach(calls.slice(0, 2), Fiber.join)
        expect(calls.slice(2).map((call) => call.pollUnsafe())).toEqual([undefined, undefined])
        const rule: ApprovalRule = { decision: "allow", path: "*.txt" }
        yield* questions.answer(third?.correlationId ?? "", { decision: "allow", remember: "run", rule })
        yield* Effect.forEach(calls, Fiber.join)
        expect(yield* open).toEqual([])
      }),
    )
  })

  it("sees rules that are remembered while it decides", async () => {
    const questions = Effect.runSync(OpenQuestions.make())
    const inner = ApprovalMemory.make()
    const gate = Deferred.makeUnsafe<void>()
    let reads = 0
    // The second call has read the rules, and goes on when another has been added.
    const rules = Effect.flatMap(
      inner.rules,
      (known) => ++reads === 2 ? Effect.as(Deferred.await(gate), known) : Effect.succeed(known),
    )
    await withApprover(
      questions,
      Effect.gen(function* () {
        const spells = yield* guarded(ask, { memory: { ...inner, rules } })
        const cast = Effect.forkChild(Spellbook.castWith(spells, "write_file", write("a")), { startImmediately: true })
        const [first, second] = [yield* cast, yield* cast]
        yield* eventuallyOpen(questions.list, 1)
        const [open] = yield* questions.list
        yield* questions.answer(open?.question.correlationId ?? "", { decision: "allow", remember: "run" })
        yield* Fiber.join(first)
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.join(second)
      }),
    )
  })

  it("waits for approvers that can ask, and says why none can", async () => {
    const mute = (why: string) => Approver.make((question) => Effect.fail(Approver.cannotAsk(question, why)))
    const slow = Approver.make(() => Effect.delay(Effect.succeed({ decision: "allow" as const }), "20 millis"))
    const cast = Effect.flatMap(guarded(ask), (spells) => Spellbook.castWith(spells, "write_file", write("a")))
    await withApprover(Approver.first(mute("no bell"), slow, mute("no lamp")), cast)
    const failed = async (approver: ApproverService) => (await withApprover(approver, Effect.flip(cast))).message
    expect(await failed(Approver.first(mute("no bell"), mute("no lamp")))).toContain("denied: no bell; no lamp. Do not")
    expect(await failed(Approver.first(Approver.first(mute("no bell"))))).toContain("denied: no bell. Do not")
    expect(await failed(Approver.first())).toContain("denied: there is no approver. Do not")
    const no = Approver.make(() => Effect.succeed({ decision: "deny" as const, reason: "not now" }))
    expect(await failed(Approver.first(mute("no bell"), no, slow))).toContain("denied: not now")
  })

  it("takes the answer that comes first", async () => {
    const slow = Approver.make(() => Effect.never)
    const fast = Approver.make(() => Effect.succeed({ decision: "allow" }))
    await withApprover(
      Approver.first(slow, fast),
      Effect.flatMap(guarded(ask), (spells) => Spellbook.castWith(spells, "write_file", write("a"))),
    )
  })
})
