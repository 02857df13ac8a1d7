/** The number of a system call on x64 and on arm64 (asm/unistd_64.h, asm-generic/unistd.h); undefined if there is no such call. */
type Call = readonly [x64: number, arm64: number | undefined];

type Calls = Readonly<Record<string, Call>>;

/** Calls that reach into other processes. */
const intoProcesses: Calls = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  process_madvise: [440, 440],
};

/** Calls that bypass this filter: one hides its flags, the other its calls. */
const pastFilter: Calls = { clone3: [435, 435], io_uring_setup: [425, 425] };

/** Keys belong to users and logins, and no namespace separates them. */
const keys: Calls = { add_key: [248, 217], request_key: [249, 218], keyctl: [250, 219] };

/** Memory that no process maps and no limit counts. */
const uncounted: Calls = {
  shmget: [29, 194],
  msgget: [68, 186],
  semget: [64, 190],
  mq_open: [240, 180],
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  vmsplice: [278, 75],
};

/**
 * Resources that the kernel counts for all programs of the machine, or of the bot's user, together. The last three also reveal which
 * programs of the machine are started.
 */
const countedForAll: Calls = {
  io_setup: [206, 0],
  inotify_init: [253, undefined],
  inotify_init1: [294, 26],
  fanotify_init: [300, 262],
};

/** For debuggers and kernels. */
const forDebuggers: Calls = { userfaultfd: [323, 282], perf_event_open: [298, 241], bpf: [321, 280] };

const missing: Calls = { ...pastFilter, ...keys, ...uncounted, ...countedForAll, ...forDebuggers };

/** Refused for some of their arguments. */
const socket: Call = [41, 198];
const setsockopt: Call = [54, 208];
const mmap: Call = [9, 222];
const unshare: Call = [272, 97];
const clone: Call = [56, 220];

/** The kernel's id of the architecture (linux/audit.h), and the index of its numbers in a `Call`. */
interface Architecture {
  audit: number;
  at: 0 | 1;
  /** Marks calls of a second numbering (x32). */
  second?: number;
}

const architectures: Readonly<Record<string, Architecture>> = {
  x64: { audit: 0xc000003e, at: 0, second: 0x40000000 },
  arm64: { audit: 0xc00000b7, at: 1 },
};

/**
 * AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: the families that a network namespace separates. AF_VSOCK, for one, leads to a virtual machine's
 * host.
 */
const families = [1, 2, 10, 16];
const newUserNamespace = 0x10000000;

/** SOL_SOCKET; SO_SNDBUF, SO_RCVBUF, SO_SNDBUFFORCE, SO_RCVBUFFORCE (asm-generic/socket.h). */
const socketLevel = 1;
const bufferOptions = [7, 8, 32, 33];

/** Of mmap's flags: the bits of the mapping type, and MAP_SHARED with MAP_ANONYMOUS. */
const mappingKind = 0x2f;
const sharedAnonymous = 0x21;

const errors = { none: 0, notPermitted: 1, noSuchCall: 38, noSuchFamily: 97 };

/** Instructions of classic BPF (linux/bpf_common.h), and the offsets in `seccomp_data`. */
const codes = { load: 0x20, keepBits: 0x54, equal: 0x15, atLeast: 0x35, anyBit: 0x45, answer: 0x06 };
const offsets = { call: 0, architecture: 4, first: 16, second: 24, third: 32, fourth: 40 };
const allow = 0x7fff0000;
const fail = (error: number) => 0x00050000 | error;

type Instruction = [code: number, value: number, whenTrue?: number, whenFalse?: number];

/**
 * The calls that the kernel refuses to code in the sandbox (seccomp(2)), in the form bubblewrap takes: sockets that no namespace separates,
 * further namespaces, the kernel's keys, the memory and descriptors of other processes, uncounted memory, resources that are also counted
 * for the bot, and io_uring, which does much of that past the filter. Socket buffers keep their size, whatever is requested. Undefined if
 * the numbers are unknown.
 */
export function systemCallFilter(architecture: string = process.arch): Uint8Array | undefined {
  const known = architectures[architecture];
  if (known === undefined) return undefined;
  const { audit, at, second } = known;
  const whenCalled = (call: Call, then: readonly Instruction[]) =>
    call[at] === undefined ? [] : when([codes.equal, call[at]], then);
  return assemble([
    [codes.load, offsets.architecture],
    [codes.equal, audit, 1, 0],
    refuse(errors.noSuchCall),
    [codes.load, offsets.call],
    ...(second === undefined ? [] : when([codes.atLeast, second], [refuse(errors.noSuchCall)])),
    ...Object.values(missing).flatMap((call) => whenCalled(call, [refuse(errors.noSuchCall)])),
    ...Object.values(intoProcesses).flatMap((call) => whenCalled(call, [refuse(errors.notPermitted)])),
    ...whenCalled(socket, onlyFamilies),
    ...whenCalled(setsockopt, withoutBuffers),
    ...whenCalled(mmap, [
      [codes.load, offsets.fourth],
      [codes.keepBits, mappingKind],
      ...when([codes.equal, sharedAnonymous], [refuse(errors.notPermitted)]),
      [codes.answer, allow],
    ]),
    ...[unshare, clone].flatMap((call) => whenCalled(call, noUserNamespace)),
    [codes.answer, allow],
  ]);
}

function refuse(error: number): Instruction {
  return [codes.answer, fail(error)];
}

const noUserNamespace: readonly Instruction[] = [
  [codes.load, offsets.first],
  [codes.anyBit, newUserNamespace, 0, 1],
  refuse(errors.notPermitted),
  [codes.answer, allow],
];

const onlyFamilies: readonly Instruction[] = [
  [codes.load, offsets.first],
  ...families.map((family, at): Instruction => [codes.equal, family, families.length - at]),
  refuse(errors.noSuchFamily),
  [codes.answer, allow],
];

/** As if the usual buffer size were the machine's maximum: the call succeeds and changes nothing. */
const withoutBuffers: readonly Instruction[] = [
  [codes.load, offsets.second],
  [codes.equal, socketLevel, 1, 0],
  [codes.answer, allow],
  [codes.load, offsets.third],
  ...bufferOptions.flatMap((option) => when([codes.equal, option], [refuse(errors.none)])),
  [codes.answer, allow],
];

/** Runs `then`, which returns a verdict, if the condition holds, and skips it otherwise. */
function when([code, value]: Instruction, then: readonly Instruction[]): Instruction[] {
  return [[code, value, 0, then.length], ...then];
}

/** A sequence of `struct sock_filter`: code, both jumps, value. */
function assemble(instructions: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [at, [code, value, whenTrue = 0, whenFalse = 0]] of instructions.entries()) {
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(whenTrue, at * 8 + 2);
    bytes.writeUInt8(whenFalse, at * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, at * 8 + 4);
  }
  return bytes;
}
