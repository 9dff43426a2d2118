/**
 * The walls around the machine's programs that cases are compared with, arguments of bubblewrap: a folder to write to, and
 * of the machine only its programs. A case that goes wrong can then harm nothing.
 */
export const wallsAround = (folder: string): ReadonlyArray<string> => [
  ...["--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"],
  ...["bin", "lib", "lib64", "sbin"].flatMap((name) => ["--symlink", `usr/${name}`, `/${name}`]),
  ...["--dir", "/root", "--bind", folder, folder, "--chdir", folder],
  ...["--unshare-all", "--die-with-parent", "--new-session"],
]
