/** Implements the WASI functions of sockets, which the kernel does not have, with `EBADF` or `ENOTSOCK`. */
import { Errno } from "../Errno.ts"
import type { WasiInstance } from "./WasiInstance.ts"
import type { SocketFunctions } from "./WasiFunctions.ts"

export const socketFunctions = (
  { process }: WasiInstance,
): SocketFunctions => {
  const refuse = (fd: number): number => process.descriptor(fd) === undefined ? Errno.EBADF : Errno.ENOTSOCK
  return { sock_accept: refuse, sock_recv: refuse, sock_send: refuse, sock_shutdown: refuse }
}
