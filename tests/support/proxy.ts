/** A way to the server that a test can cut where it hurts. */
import { connect, createServer, type Server as NetServer, type Socket } from "node:net"

/** One connection that goes through. */
export interface Link {
  readonly client: Socket
  readonly server: Socket
}

/** Sees what the client sends before the server does; answers whether it has dealt with it. */
export type Intercept = (data: Buffer, link: Link) => boolean

const isPort = (address: unknown): address is { readonly port: number } =>
  typeof address === "object" && address !== null && "port" in address && typeof address.port === "number"

export class Proxy {
  readonly port: number
  readonly #server: NetServer
  readonly #links: Set<Link>
  readonly #bytesFromServer: () => number

  private constructor(server: NetServer, links: Set<Link>, port: number, bytesFromServer: () => number) {
    this.#bytesFromServer = bytesFromServer
    this.#server = server
    this.#links = links
    this.port = port
  }

  /**
   * Listens, and leads to a port of this machine. While it is `silent`, what a client sends goes nowhere, and its
   * goodbye is not answered.
   */
  static make(
    target: number,
    intercept: Intercept = () => false,
    silent: () => boolean = () => false,
  ): Promise<Proxy> {
    const links = new Set<Link>()
    let bytesFromServer = 0
    const server = createServer({ allowHalfOpen: true }, (client) => {
      const link: Link = { client, server: connect(target, "127.0.0.1") }
      links.add(link)
      client.on("data", (data) => {
        if (typeof data !== "string" && !silent() && !intercept(data, link)) link.server.write(data)
      })
      client.on("end", () => {
        if (!silent()) client.end()
      })
      link.server.on("data", (data) => {
        bytesFromServer += data.length
        if (!client.write(data)) link.server.pause()
      })
      client.on("drain", () => link.server.resume())
      // What ends on one side ends on the other, unless a test takes these listeners away.
      client.on("close", () => link.server.end())
      link.server.on("close", () => client.end())
      client.on("error", () => {})
      link.server.on("error", () => {})
      link.server.on("close", () => links.delete(link))
    })
    return new Promise((resolve, reject) => {
      server.on("error", reject)
      server.listen(0, "127.0.0.1", () => {
        const address: unknown = server.address()
        if (isPort(address)) resolve(new Proxy(server, links, address.port, () => bytesFromServer))
      })
    })
  }

  /** Bytes that the server has sent and clients have taken, or soon will. */
  get bytesFromServer(): number {
    return this.#bytesFromServer()
  }

  /** How many connections go through. */
  get links(): number {
    return this.#links.size
  }

  /** The connections that clients have made, and may have closed since without being answered. */
  get clients(): ReadonlyArray<Socket> {
    return [...this.#links].map(({ client }) => client)
  }

  /** Cuts every connection, on both sides. */
  cut(): void {
    for (const { client, server } of this.#links) {
      client.destroy()
      server.destroy()
    }
  }

  close(): Promise<void> {
    this.cut()
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }
}
