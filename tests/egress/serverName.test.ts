import { expect, it } from "@effect/vitest"
import { connect as connectTls } from "node:tls"
import { openClient, startProxy, startServer } from "./proxy.ts"

/** The ClientHello of this runtime for a server name, as a server receives it. */
const helloFor = async (servername: string): Promise<Buffer> => {
  let resolve: (bytes: Buffer) => void = () => {}
  const first = new Promise<Buffer>((done) => resolve = done)
  const server = await startServer((socket) => void socket.on("data", (piece) => resolve(Buffer.from(piece))))
  const client = connectTls({ port: server.port, host: "127.0.0.1", servername, rejectUnauthorized: false })
  client.on("error", () => {})
  const hello = await first
  client.destroy()
  await server.stop()
  return hello
}

it("a TLS connection to another server name than that of the tunnel is ended, also in small pieces", async () => {
  let received = 0
  const server = await startServer((socket) => void socket.on("data", (piece) => void (received += piece.length)))
  const { decisions, path, stop } = await startProxy({
    allow: [],
    privateHosts: [`a.example:${server.port}`],
    resolve: () => Promise.resolve(["127.0.0.1"]),
  })
  const send = async (name: string, pieceLength: number) => {
    const hello = await helloFor(name)
    const client = await openClient(path)
    await client.send(`CONNECT a.example:${server.port} HTTP/1.1\r\n\r\n`)
    await client.received(39)
    for (let at = 0; at < hello.length; at += pieceLength) await client.send(hello.subarray(at, at + pieceLength))
    return { client, hello }
  }
  const allowed = await send("A.example", 100)
  await expect.poll(() => received).toBe(allowed.hello.length)
  allowed.client.socket.destroy()
  for (const pieceLength of [65_536, 7]) {
    const { client } = await send("b.example", pieceLength)
    expect((await client.ended).slice(-7)).toBe(String.fromCharCode(21, 3, 1, 0, 2, 2, 112))
    client.socket.destroy()
  }
  expect(received).toBe(allowed.hello.length)
  expect(decisions.map(({ reason }) => reason)).toEqual([undefined, undefined, "ServerName", undefined, "ServerName"])
  await stop()
  await server.stop()
})
