import { describe, expect, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { createServer, type RequestListener } from "node:http"
import { deflateSync } from "node:zlib"
import { git } from "../../../../src/kernel/tools/git/git.ts"
import { Sandbox } from "../../../../src/sandbox/mod.ts"

const [a, b] = ["aa".repeat(20), "bb".repeat(20)]

const objectOf = (type: string, body: Uint8Array): { readonly oid: string; readonly loose: Uint8Array } => {
  const whole = Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body])
  return { oid: createHash("sha1").update(whole).digest("hex"), loose: deflateSync(whole) }
}

const pathOf = (oid: string): string => `r/.git/objects/${oid.slice(0, 2)}/${oid.slice(2)}`

const repository = (head: string, files: Readonly<Record<string, Uint8Array | string>>) => ({
  "r/.git/HEAD": "ref: refs/heads/main\n",
  "r/.git/refs/heads/main": `${head}\n`,
  "r/.git/objects/info/packs": "",
  "r/.git/config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
  ...files,
})

/** A number with 7 bits in each byte, of which the first has `bits` and a type. */
const sizeOf = (size: number, type = 0, bits = 7): Buffer => {
  const bytes: Array<number> = []
  let [byte, rest] = [type << 4 | size % (1 << bits), Math.floor(size / (1 << bits))]
  for (; rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(byte | 128)
    byte = rest % 128
  }
  return Buffer.from([...bytes, byte])
}

const entry = (type: number, data: Uint8Array, base: Uint8Array = new Uint8Array(0)): Buffer =>
  Buffer.concat([sizeOf(data.length, type, 4), base, deflateSync(data)])

const signed = (body: Buffer): Buffer => Buffer.concat([body, createHash("sha1").update(body).digest()])

const uint32 = (...numbers: ReadonlyArray<number>): Buffer => {
  const bytes = Buffer.alloc(numbers.length * 4)
  numbers.forEach((number, at) => bytes.writeUInt32BE(number, at * 4))
  return bytes
}

/** A repository of one pack, whose index has these names; `shift` is added to each offset. */
const packed = (objects: ReadonlyArray<readonly [oid: string, entry: Buffer]>, shift = 0) => {
  const pack = signed(
    Buffer.concat([Buffer.from("PACK"), uint32(2, objects.length), ...objects.map(([, each]) => each)]),
  )
  let at = 12
  const named = objects.map(([oid, { length }]) => {
    at += length
    return [oid, at - length + shift] as const
  }).sort(([one], [two]) => one < two ? -1 : 1)
  const counts = Array.from(
    { length: 256 },
    (_, byte) => named.filter(([oid]) => Number.parseInt(oid.slice(0, 2), 16) <= byte).length,
  )
  const index = signed(Buffer.concat([
    uint32(0xff744f63, 2, ...counts),
    ...named.map(([oid]) => Buffer.from(oid, "hex")),
    uint32(...named.map(() => 0), ...named.map(([, offset]) => offset)),
    pack.subarray(-20),
  ]))
  const name = `r/.git/objects/pack/pack-${"1".repeat(40)}`
  return repository(a, { [`${name}.pack`]: pack, [`${name}.idx`]: index })
}

const runIn = async (files: Readonly<Record<string, Uint8Array | string>>, script: string): Promise<string> => {
  await using sandbox = await Sandbox.open({ programs: { git }, files })
  const { stderr, stdout } = await sandbox.run(script, { check: false, timeout: "20 seconds" })
  return stdout + stderr
}

const delta = Buffer.from([3, 3, 3, 1, 2, 3])
const bombBytes = 140_000_000

describe("git refuses a repository", () => {
  it("with a file of an object that unpacks to more than it may hold", async () => {
    const bomb = deflateSync(Buffer.concat([Buffer.from(`blob ${bombBytes}\0`), Buffer.alloc(bombBytes)]))
    expect(await runIn(repository(a, { [pathOf(a)]: bomb }), `cd r; git cat-file -s ${a}`))
      .toContain("an object has more than 134217728 bytes")
  })

  it("with such an object in a pack", async () => {
    expect(await runIn(packed([[a, entry(3, Buffer.alloc(bombBytes))]]), `cd r; git cat-file -s ${a}`))
      .toContain(`the pack has an object of ${bombBytes} bytes`)
  })

  it("with a delta that makes one, whose size is in a second block", async () => {
    const large = Buffer.concat([sizeOf(3), sizeOf(1e9), Buffer.from([1, 2])])
    const stored = (bytes: Buffer, isLast: number) =>
      Buffer.from([isLast, bytes.length, 0, ~bytes.length & 255, 255, ...bytes])
    const data = Buffer.concat([
      Buffer.from([0x78, 1]),
      stored(large.subarray(0, 1), 0),
      stored(large.subarray(1), 1),
      deflateSync(large).subarray(-4),
    ])
    const object = Buffer.concat([sizeOf(large.length, 7, 4), Buffer.from(a, "hex"), data])
    expect(await runIn(packed([[a, entry(3, Buffer.from("abc"))], [b, object]]), `cd r; git cat-file -s ${b}`))
      .toContain("the pack has an object of 1000000000 bytes")
  })

  it("with a delta of itself, of two deltas of each other, of an object elsewhere", async () => {
    const [toA, toB] = [a, b].map((oid) => entry(7, delta, Buffer.from(oid, "hex")))
    const script = `cd r; git cat-file -s ${a}`
    expect(await runIn(packed([[a, entry(6, delta, Buffer.from([0]))]]), script)).toContain("a chain of more than")
    expect(await runIn(packed([[a, toB ?? delta], [b, toA ?? delta]]), script)).toContain("a chain of more than")
    expect(await runIn(packed([[a, toB ?? delta]]), script)).toContain("the base of a delta")
  })

  it("with an index that names something other than an object", async () => {
    expect(await runIn(packed([[a, entry(3, Buffer.from("abc"))]], 1), `cd r; git cat-file -s ${a}`))
      .toContain("names an object that the pack does not have")
  })

  it("with a very long configuration, and reads one of many continued lines", async () => {
    const continued = `[a]\n\tb = ${"aaaaaaa\\\n".repeat(100_000)}z\n`
    expect((await runIn(repository(a, { "r/.git/config": continued }), "cd r; git config a.b")).length).toBe(700_002)
    expect(await runIn(repository(a, { "r/.git/config": continued.repeat(2) }), "cd r; git config a.b"))
      .toContain("larger than 1048576 bytes")
  })
})

it("git reads a commit whose author is a million brackets", async () => {
  const tree = objectOf("tree", new Uint8Array(0))
  const who = "<".repeat(1_000_000)
  const commit = objectOf("commit", Buffer.from(`tree ${tree.oid}\nauthor ${who}\ncommitter ${who}\n\nhello\n`))
  const files = repository(commit.oid, { [pathOf(tree.oid)]: tree.loose, [pathOf(commit.oid)]: commit.loose })
  expect(await runIn(files, "cd r; git log --format=%s")).toBe("hello\n")
})

const line = (text: string): string => `${(text.length + 4).toString(16).padStart(4, "0")}${text}`

/** Runs a script against a server of this machine. `$ORIGIN` is its address. */
const against = async (listener: RequestListener, script: string): Promise<string> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
  try {
    await using sandbox = await Sandbox.open({
      programs: { git },
      env: { ORIGIN: origin },
      network: { origins: [origin, origin.replace("127.0.0.1", "localhost")] },
    })
    const { stderr, stdout } = await sandbox.run(script, { check: false, timeout: "20 seconds" })
    return stdout + stderr
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

it("git refuses references whose names lead elsewhere", async () => {
  const output = await against((_request, response) => {
    response.writeHead(200, { "content-type": "application/x-git-upload-pack-advertisement" })
    response.end(
      `${line("# service=git-upload-pack\n")}0000${line(`${a} HEAD\0symref=HEAD:refs/heads/main agent=x\n`)}` +
        `${line(`${a} refs/heads/../../../../../.profile\n`)}0000`,
    )
  }, "git ls-remote $ORIGIN/x.git; git clone $ORIGIN/x.git; ls -A")
  expect(output).toContain("has a reference with the name refs/heads/../../../../../.profile")
  expect(output).not.toMatch(/^\.profile$/m)
})

it("git does not bring a header of the configuration to another server", async () => {
  const seen: Array<string | undefined> = []
  const output = await against((request, response) => {
    seen.push(request.headers.authorization)
    const { host = "" } = request.headers
    response.writeHead(302, { location: `http://${host.replace("127.0.0.1", "localhost")}/y.git/info/refs` }).end()
  }, "git -c http.extraheader='authorization: secret' clone $ORIGIN/x.git")
  expect(output).toContain("redirected to another server")
  expect(seen).toEqual(["secret"])
})

/** Checks out a commit whose tree has one file of this name; what git says. */
const checkOut = async (name: string, mode = "100644", type = "blob"): Promise<string> => {
  const blob = objectOf(type, Buffer.from("evil"))
  const tree = objectOf("tree", Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(blob.oid, "hex")]))
  const people = "A <a@b.c> 1 +0000"
  const commit = objectOf("commit", Buffer.from(`tree ${tree.oid}\nauthor ${people}\ncommitter ${people}\n\nm\n`))
  const objects = Object.fromEntries([blob, tree, commit].map(({ loose, oid }) => [pathOf(oid), loose]))
  await using sandbox = await Sandbox.open({ programs: { git }, files: repository(commit.oid, objects) })
  const { stderr } = await sandbox.run(`cd r; git reset -q --hard; ls -A | grep -v '^.git$' >&2`, {
    check: false,
  })
  return stderr
}

it("writes no file that macOS or Windows would take for .git, as git with protectHFS and protectNTFS", async () => {
  const wrong = [".git", ".GIT", "git~1", "GIT~1", ".git ", ".git.", ".git . ", ".git::$INDEX_ALLOCATION"]
  for (const name of [...wrong, ".g\u200cit", "\ufeff.git", ".gi\u206ft", "git~1:x", ".git\\config", "a\\.git"]) {
    expect(await checkOut(name)).toBe(`fatal: invalid path '${name}'\n`)
  }
  for (const name of ["git~2", ".gitx", ".gitignore", "a.git", "git~1x", ".gitmodules", "a\\b", ".g\u00e9it"]) {
    expect(await checkOut(name)).toBe(`${name}\n`)
  }
  expect(await checkOut(".gitmodules", "120000")).toBe("fatal: invalid path '.gitmodules'\n")
  expect(await checkOut("GITMOD~1", "120000")).toBe("fatal: invalid path 'GITMOD~1'\n")
}, 60_000)

it("reads modes of trees as git does", async () => {
  expect(await checkOut("x", "99")).toBe("fatal: malformed mode in tree entry\n")
  expect(await checkOut("x", "100666")).toBe("x\n")
})
