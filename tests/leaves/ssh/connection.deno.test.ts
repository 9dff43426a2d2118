import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { execFileSync, spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { OptionError } from "@sluice/shell"
import { type SshAuth, SshConnection, type SshConnectionOptions, type SshHop } from "@sluice/shell/ssh"
import { makeConnection } from "../../../src/leaves/ssh/SshConnection.ts"
import { eventually } from "../../support/eventually.ts"
import { freePort, hasSshd, newKey, type SshServer, startSshd } from "../../support/sshd.ts"

const never = Schedule.upTo(Schedule.forever, { times: 0 })

const attempt = (options: SshConnectionOptions) =>
  Effect.runPromise(Effect.result(Effect.scoped(SshConnection.make({ reconnect: never, ...options }))))

/** The reason why there is no connection, and its message. */
const refusal = async (options: SshConnectionOptions) => {
  const result = await attempt(options)
  if (result._tag === "Success") throw new Error("it connected")
  const { failure } = result
  if (failure instanceof OptionError) throw failure
  return { ...failure.reason, message: failure.message }
}

const connects = async (options: SshConnectionOptions): Promise<boolean> => {
  const result = await attempt(options)
  if (result._tag === "Failure") throw result.failure
  return true
}

describe.runIf(hasSshd)("an SSH connection", { concurrent: false }, () => {
  let server: SshServer
  beforeAll(async () => {
    server = await startSshd()
  })
  afterAll(() => server.close())

  const fingerprint = (): string =>
    execFileSync("ssh-keygen", ["-lf", join(server.folder, "host.pub")], { encoding: "utf8" }).split(" ")[1] ?? ""
  const knownHosts = (...lines: ReadonlyArray<string>) => {
    const file = join(server.folder, `known-${crypto.randomUUID()}`)
    writeFileSync(file, lines.map((line) => `${line}\n`).join(""))
    return { hostKey: { knownHosts: file } }
  }
  const otherKey = (): string => {
    const path = join(server.folder, `other-${crypto.randomUUID()}`)
    newKey(path)
    return readFileSync(`${path}.pub`, "utf8").split(" ").slice(0, 2).join(" ")
  }

  it.each(["me@127.0.0.1", "127.0.0.1:22", "ssh://127.0.0.1"])(
    "refuses the host %s before it looks it up",
    async (host) => {
      await expect(connects(server.options({ host }))).rejects.toMatchObject({ _tag: "OptionError", option: "host" })
    },
  )

  it("takes a server with a pinned key, or fingerprint, also as one of several", async () => {
    expect(await connects(server.options())).toBe(true)
    expect(await connects(server.options({ hostKey: fingerprint() }))).toBe(true)
    expect(await connects(server.options({ hostKey: [otherKey(), server.hostKey] }))).toBe(true)
    // As a file of the server has it: with a comment and a line break.
    expect(await connects(server.options({ hostKey: `${server.hostKey} root@host\n` }))).toBe(true)
    const changed = await refusal(server.options({ hostKey: otherKey() }))
    expect(changed).toMatchObject({ _tag: "HostKeyChanged", fingerprint: fingerprint(), keyType: "ssh-ed25519" })
  })

  it("takes a server that known_hosts has, plainly, hashed, or by a pattern", async () => {
    const name = `[127.0.0.1]:${server.port}`
    expect(await connects(server.options(knownHosts(`${name} ${server.hostKey}`)))).toBe(true)
    expect(await connects(server.options(knownHosts(`[127.*]:${server.port} ${server.hostKey}`)))).toBe(true)
    const hashed = knownHosts(`${name} ${server.hostKey}`)
    execFileSync("ssh-keygen", ["-H", "-f", hashed.hostKey.knownHosts], { stdio: "ignore" })
    expect(readFileSync(hashed.hostKey.knownHosts, "utf8")).toMatch(/^\|1\|/)
    expect(await connects(server.options(hashed))).toBe(true)
    const files = [hashed.hostKey.knownHosts, join(server.folder, "none")].toReversed()
    expect(await connects(server.options({ hostKey: { knownHosts: files } }))).toBe(true)
  })

  it("refuses an unknown key, and says how to compare and to add it", async () => {
    const unknown = await refusal(server.options(knownHosts(`[127.0.0.1]:1 ${server.hostKey}`)))
    expect(unknown).toMatchObject({ _tag: "HostKeyUnknown", fingerprint: fingerprint() })
    expect(unknown.message).toContain(fingerprint())
    expect(unknown.message).toContain(`ssh-keyscan -p ${server.port} 127.0.0.1 >> `)
    expect(unknown.message).toContain(`hostKey: "${fingerprint()}"`)
  })

  it("refuses a changed key, a revoked key, and one known only by an authority", async () => {
    const name = `[127.0.0.1]:${server.port}`
    // Of several files, it names the one that has the key.
    const [first, second] = [knownHosts("# empty"), knownHosts(`${name} ${otherKey()}`)].map((each) =>
      each.hostKey.knownHosts
    )
    const both = await refusal(server.options({ hostKey: { knownHosts: [first ?? "", second ?? ""] } }))
    expect(both.message).toContain(`-f ${second}`)
    const folder = await refusal(server.options({ hostKey: { knownHosts: server.folder } }))
    expect(folder.message).toContain(`${server.folder} was not read (EISDIR)`)
    const changed = await refusal(server.options(knownHosts(`${name} ${otherKey()}`)))
    expect(changed).toMatchObject({ _tag: "HostKeyChanged", fingerprint: fingerprint() })
    expect(changed.message).toContain(`ssh-keygen -R '${name}'`)
    const lines = [`${name} ${server.hostKey}`, `@revoked * ${server.hostKey}`]
    expect(await refusal(server.options(knownHosts(...lines)))).toMatchObject({ _tag: "HostKeyRevoked" })
    const authority = knownHosts(`@cert-authority ${name} ${otherKey()}`)
    expect(await refusal(server.options(authority))).toMatchObject({ _tag: "HostKeyUnsupported" })
  })

  it("asks the server for the key that is known, of several that it has", async () => {
    const path = join(server.folder, "rsa")
    execFileSync("ssh-keygen", ["-q", "-t", "rsa", "-b", "2048", "-N", "", "-f", path])
    const both = await startSshd([`HostKey ${path}`])
    const rsa = readFileSync(`${path}.pub`, "utf8").split(" ").slice(0, 2).join(" ")
    expect(await connects(both.options({ hostKey: rsa }))).toBe(true)
    expect(await connects(both.options())).toBe(true)
    both.close()
  })

  it("distinguishes DNS, a closed port, silence, and a server that is not SSH", async () => {
    const port = await freePort()
    const closed = await refusal(server.options({ port }))
    expect(closed).toMatchObject({ _tag: "Refused", server: `127.0.0.1:${port}` })
    expect(await refusal(server.options({ host: "no-such-host.invalid" }))).toMatchObject({ _tag: "NameNotResolved" })
    const sockets = createServer((socket) => void socket.on("error", () => {}))
    await new Promise<void>((resolve) => sockets.listen(0, "127.0.0.1", resolve))
    const address = sockets.address()
    const silent = typeof address === "object" && address !== null ? address.port : 0
    expect(await refusal(server.options({ port: silent, connectTimeout: 300 }))).toMatchObject({ _tag: "TimedOut" })
    sockets.on("connection", (socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"))
    expect(await refusal(server.options({ port: silent }))).toMatchObject({ _tag: "ProtocolFailed" })
    sockets.close()
  })

  it("says which methods were tried, and which the server accepts", async () => {
    const other = Redacted.make(newKey(join(server.folder, "stranger")))
    const refused = await refusal(server.options({
      auth: [{ agent: "/no/such/agent" }, { password: Redacted.make("hunter2") }, { privateKey: other }],
    }))
    expect(refused).toMatchObject({
      _tag: "AuthRefused",
      user: server.user,
      tried: [
        expect.stringMatching(/^agent \(it does not respond/),
        "password (not accepted by the server)",
        "privateKey",
      ],
      offered: ["publickey"],
    })
    expect(refused.message).toContain(`refused the user ${server.user}`)
    expect(refused.message).toContain("authorized_keys")
    expect(JSON.stringify(refused)).not.toContain("hunter2")
    expect(JSON.stringify(refused)).not.toContain("PRIVATE")
  })

  it("reports why a key or an agent was not used, and that the server permits no more tries", async () => {
    const text = newKey(join(server.folder, "sealed"), "opensesame")
    const made = Redacted.make
    const cases: ReadonlyArray<readonly [auth: SshAuth, advice: string]> = [
      [{ privateKey: made(text) }, "the key is encrypted: give its passphrase"],
      [{ privateKey: made(text), passphrase: made("wrong") }, "the passphrase does not decrypt the key"],
      [{ privateKey: made("~/.ssh/id_ed25519") }, "give the content of the key file, not its path"],
      [{ privateKey: made(readFileSync(join(server.folder, "client.pub"), "utf8")) }, "it is a public key"],
      [{ agent: join(server.folder, "no-agent") }, "start one with ssh-agent, and add a key with ssh-add"],
    ]
    for (const [auth, advice] of cases) {
      const { _tag, message } = await refusal(server.options({ auth }))
      expect(_tag).toBe("AuthRefused")
      expect(message).toContain("no method of auth could be used")
      expect(message).toContain(advice)
      expect(message).not.toMatch(/opensesame|wrong/)
    }
    const strict = await startSshd(["MaxAuthTries 1"])
    const stranger = made(newKey(join(server.folder, "stranger-too")))
    const auth = [{ privateKey: stranger }, { privateKey: strict.privateKey }]
    expect((await refusal(strict.options({ auth }))).message).toContain("put the right method first")
    strict.close()
  })

  it("takes an encrypted key with its passphrase, and the keys of an agent", async () => {
    const path = join(server.folder, "locked")
    const privateKey = Redacted.make(newKey(path, "opensesame"))
    writeFileSync(join(server.folder, "keys"), readFileSync(`${path}.pub`), { flag: "a" })
    const passphrase = Redacted.make("opensesame")
    expect(await connects(server.options({ auth: { privateKey, passphrase } }))).toBe(true)
    const wrong = await refusal(server.options({ auth: { privateKey, passphrase: Redacted.make("wrong") } }))
    expect(wrong).toMatchObject({ _tag: "AuthRefused", tried: [expect.stringMatching(/^privateKey \(.+\)$/)] })

    const agent = join(server.folder, "agent")
    const child = spawn("ssh-agent", ["-D", "-a", agent], { stdio: "ignore" })
    for (let round = 0; round < 200; round++) {
      try {
        execFileSync("ssh-add", ["-q", join(server.folder, "client")], {
          env: { SSH_AUTH_SOCK: agent },
          stdio: "ignore",
        })
        break
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
    try {
      expect(await connects(server.options({ auth: { agent } }))).toBe(true)
    } finally {
      child.kill()
    }
  })

  it("goes through several servers, each with its own key", async () => {
    const far = await startSshd()
    const hop = ({ options }: SshServer): SshHop => {
      const { auth, host, hostKey, port, user } = options()
      return { auth, host, hostKey, port, user }
    }
    expect(await connects(far.options({ proxyJump: [hop(server)] }))).toBe(true)
    const middle = await startSshd()
    expect(await connects(far.options({ proxyJump: [hop(server), hop(middle)] }))).toBe(true)
    expect(middle.log()).toContain("Accepted publickey")
    const stranger = { ...hop(middle), hostKey: otherKey() }
    const refused = await refusal(far.options({ proxyJump: [hop(server), stranger] }))
    expect(refused).toMatchObject({ _tag: "HostKeyChanged", server: `127.0.0.1:${middle.port}` })
    // ssh2 cannot nest this cipher: see connectHop.
    const chacha = await startSshd(["Ciphers chacha20-poly1305@openssh.com"])
    expect(await connects(far.options({ proxyJump: [hop(chacha)] }))).toBe(true)
    expect(await refusal(chacha.options({ proxyJump: [hop(server)] }))).toMatchObject({ _tag: "ProtocolFailed" })
    chacha.close()
    const gone = await refusal(far.options({ port: await freePort(), proxyJump: [hop(server)] }))
    expect(gone).toMatchObject({ _tag: "Unreachable" })
    far.close()
    middle.close()
  })

  it("retries transient errors, and nothing else", async () => {
    let tries = 0
    const broken = createServer((socket) => {
      tries++
      socket.on("error", () => {})
      socket.destroy()
    })
    await new Promise<void>((resolve) => broken.listen(0, "127.0.0.1", resolve))
    const address = broken.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const reconnect = Schedule.upTo(Schedule.spaced("1 millis"), { times: 3 })
    await refusal(server.options({ port, reconnect }))
    broken.close()
    expect(tries).toBe(4)
    const seen = (): number => server.log().split("Disconnected from").length
    const before = seen()
    await refusal(server.options({ hostKey: otherKey(), reconnect }))
    for (let round = 0; round < 200 && seen() === before; round++) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    expect(seen() - before).toBe(1)
  })

  it.each(["silent", "broken"])(
    "gives up a connection that is being made when its scope closes: %s",
    (mood) =>
      Effect.runPromise(Effect.gen(function* () {
        const sockets = new Set<Socket>()
        let [tries, isWell] = [0, true]
        const gate = createServer((socket) => {
          tries++
          sockets.add(socket)
          socket.on("error", () => {}).on("close", () => sockets.delete(socket))
          if (isWell) return void socket.pipe(connect(server.port, "127.0.0.1")).on("error", () => {}).pipe(socket)
          if (mood === "broken") socket.destroy()
          else socket.resume()
        })
        yield* Effect.promise(() => new Promise<void>((resolve) => gate.listen(0, "127.0.0.1", resolve)))
        const address = gate.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        const scope = yield* Scope.make()
        const reconnect = Schedule.spaced("1 hour")
        const options = server.options({ port, connectTimeout: "1 hour", reconnect })
        const { link } = yield* Scope.provide(makeConnection("SshShell", options), scope)
        ;(yield* link).drop()
        isWell = false
        tries = 0
        const callers = yield* Effect.forEach([1, 2], () => Effect.forkChild(Effect.flip(link)))
        yield* eventually("it connects again", () => tries === 1)
        yield* Scope.close(scope, Exit.void)
        for (const caller of callers) {
          expect(yield* Fiber.join(caller)).toMatchObject({
            reason: { _tag: "Lost" },
            message: expect.stringContaining("was closed"),
          })
        }
        yield* eventually("no connection is left", () => sockets.size === 0)
        expect(tries).toBe(1)
        gate.close()
      })),
  )

  it("refuses options that cannot be used, before it connects", async () => {
    const cases: ReadonlyArray<readonly [option: string, options: Partial<SshConnectionOptions>]> = [
      ["hostKey", { hostKey: "MD5:00:11" }],
      ["hostKey", { hostKey: [] }],
      ["auth", JSON.parse('{ "auth": "agent" }')],
      ["auth", JSON.parse('{ "auth": { "agent": false } }')],
      ["proxyJump", JSON.parse('{ "proxyJump": "me@gate" }')],
      ["reconnect", JSON.parse('{ "reconnect": 3 }')],
      ["port", { port: 0 }],
      ["host", { host: "" }],
      ["user", { user: "a b" }],
      ["hostKey", { hostKey: JSON.parse("null") }],
      ["auth", { auth: [] }],
      ["auth", { auth: JSON.parse('"agent"') }],
      ["proxyJump", { proxyJump: JSON.parse('"jump.example"') }],
      ["keepAlive", { keepAlive: 0 }],
      // A secret that is not marked as one.
      ["auth", { auth: JSON.parse('{ "password": "hunter2" }') }],
    ]
    for (const [option, more] of cases) {
      const result = await attempt(server.options(more))
      expect(result).toMatchObject({ _tag: "Failure", failure: { _tag: "OptionError", option } })
    }
    const unknown: object = { hostkey: "SHA256:x" }
    const result = await attempt({ ...server.options(), ...unknown })
    expect(result).toMatchObject({ failure: { option: "hostkey", message: expect.stringContaining("hostKey") } })
  })
})
