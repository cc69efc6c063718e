/** What every program behind walls may read of the machine. */
const SYSTEM_PATHS = [
  ..."/usr /bin /sbin /lib /lib64 /lib32".split(" "),
  ..."/etc/alternatives /etc/ld.so.cache /etc/passwd /etc/group".split(" "),
]
const SHARED_MEMORY_BYTES = 16 * 1024 * 1024

/** The words for bubblewrap that every sandbox begins with: no network, no process but its own, no
 *  power of root's, no variable but three, and nothing to write to but a small folder. */
export function emptyWalls(temporary_bytes: number): string[] {
  return [
    ...SYSTEM_PATHS.flatMap((path) => readOnlyIfThere(path)),
    ..."--unshare-all --die-with-parent --new-session --cap-drop ALL --clearenv".split(" "),
    // The devices are mounts of their own; the folder that holds them would be memory without limit.
    ...`--proc /proc --dev /dev --size ${SHARED_MEMORY_BYTES} --tmpfs /dev/shm`.split(" "),
    ...`--remount-ro /dev --size ${temporary_bytes} --tmpfs /tmp`.split(" "),
    ..."--setenv PATH /usr/local/bin:/usr/bin:/bin --setenv HOME /tmp".split(" "),
    ..."--setenv LANG C.UTF-8".split(" "),
  ]
}

export function readOnlyIfThere(path: string): string[] {
  return ["--ro-bind-try", path, path]
}
