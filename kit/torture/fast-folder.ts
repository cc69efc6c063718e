import { existsSync } from "node:fs"
import { tmpdir } from "node:os"

/** A process that is killed or told of a failure needs no disk, and memory is many times faster. */
export const FAST_FOLDER = existsSync("/dev/shm") ? "/dev/shm" : tmpdir()
