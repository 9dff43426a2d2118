/**
 * Decides whether an IP address is on the public Internet.
 *
 * Source: RFC 6890, "Special-Purpose IP Address Registries", and the registries of IANA.
 *
 * @module
 */
import { nodeBuiltins } from "../base/nodeBuiltins.ts"

/** Networks that are not the public Internet. */
const ipv4 = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4`
/** All but global unicast, and of it what leads to IPv4 addresses (Teredo, 6to4) or is for documents. */
const ipv6 = "::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20"

const networks = (text: string) =>
  text.trim().split(/\s+/).map((network) => {
    const [address = "", length = ""] = network.split("/")
    return [address, Number(length)] as const
  })

/** Decides whether an address is on the public Internet; `undefined` where the runtime has no sockets. */
export const makePublicAddressCheck = (): ((address: string) => boolean) | undefined => {
  const net = nodeBuiltins()?.getBuiltinModule("node:net")
  if (net === undefined) return undefined
  const closed = new net.BlockList()
  for (const [address, length] of networks(ipv4)) closed.addSubnet(address, length, "ipv4")
  const closed6 = new net.BlockList()
  for (const [address, length] of networks(ipv6)) closed6.addSubnet(address, length, "ipv6")
  return (address) => {
    // An address with a zone, as `fe80::1%eth0`, is one of a network of this machine; a block list of Deno misses it.
    const family = address.includes("%") ? 0 : net.isIP(address)
    // An IPv4 address within an IPv6 one is in `::/3`.
    return family === 4 ? !closed.check(address, "ipv4") : family === 6 && !closed6.check(address, "ipv6")
  }
}
