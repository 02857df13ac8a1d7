/** Numbers of system calls, and what the kernel calls the architecture (linux/audit.h). */
interface Architecture {
  audit: number;
  socket: number;
  unshare: number;
  clone: number;
  /** add_key, request_key, keyctl: keys belong to users and logins, and no namespace keeps them apart. */
  keys: readonly number[];
  /** ptrace, process_vm_readv, process_vm_writev, kcmp: ways into other processes. */
  processes: readonly number[];
  /** Marks calls of a second numbering (x32). */
  second?: number;
}

const architectures: Readonly<Record<string, Architecture>> = {
  x64: {
    ...{ audit: 0xc000003e, socket: 41, unshare: 272, clone: 56, second: 0x40000000 },
    ...{ keys: [248, 249, 250], processes: [101, 310, 311, 312] },
  },
  arm64: {
    ...{ audit: 0xc00000b7, socket: 198, unshare: 97, clone: 220 },
    ...{ keys: [217, 218, 219], processes: [117, 270, 271, 272] },
  },
};

/** The same number on every architecture. */
const clone3 = 435;
const ioUringSetup = 425;
const pidfdGetfd = 438;

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: what a network namespace keeps apart. AF_VSOCK, for one, leads to a virtual machine's host. */
const families = [1, 2, 10, 16];
const newUserNamespace = 0x10000000;

const errors = { notPermitted: 1, noSuchCall: 38, noSuchFamily: 97 };

/** Instructions of classic BPF (linux/bpf_common.h), and where `seccomp_data` has what. */
const codes = { load: 0x20, equal: 0x15, atLeast: 0x35, anyBit: 0x45, answer: 0x06 };
const offsets = { call: 0, architecture: 4, first: 16 };
const allow = 0x7fff0000;
const fail = (error: number) => 0x00050000 | error;

type Instruction = [code: number, value: number, whenTrue?: number, whenFalse?: number];

/**
 * What the kernel refuses to code in the sandbox (seccomp(2)), as bubblewrap takes it: sockets that no namespace
 * holds, namespaces of its own, the kernel's keys, the memory and descriptors of other processes, and io_uring, which does much of
 * that past the filter. Undefined where the numbers are not known.
 */
export function systemCallFilter(architecture: string = process.arch): Uint8Array | undefined {
  const known = architectures[architecture];
  if (known === undefined) return undefined;
  const { audit, socket, unshare, clone, keys, processes, second } = known;
  const refuse = (error: number): Instruction => [codes.answer, fail(error)];
  const unlessFirstHas = (flag: number): Instruction[] => [
    [codes.load, offsets.first],
    [codes.anyBit, flag, 0, 1],
    refuse(errors.notPermitted),
    [codes.answer, allow],
  ];
  const onlyFamilies: Instruction[] = [
    [codes.load, offsets.first],
    ...families.map((family, at): Instruction => [codes.equal, family, families.length - at]),
    refuse(errors.noSuchFamily),
    [codes.answer, allow],
  ];
  return assemble([
    [codes.load, offsets.architecture],
    [codes.equal, audit, 1, 0],
    refuse(errors.noSuchCall),
    [codes.load, offsets.call],
    ...(second === undefined ? [] : when([codes.atLeast, second], [refuse(errors.noSuchCall)])),
    ...when([codes.equal, clone3], [refuse(errors.noSuchCall)]),
    ...[ioUringSetup, ...keys].flatMap((call) => when([codes.equal, call], [refuse(errors.noSuchCall)])),
    ...[pidfdGetfd, ...processes].flatMap((call) => when([codes.equal, call], [refuse(errors.notPermitted)])),
    ...when([codes.equal, socket], onlyFamilies),
    ...when([codes.equal, unshare], unlessFirstHas(newUserNamespace)),
    ...when([codes.equal, clone], unlessFirstHas(newUserNamespace)),
    [codes.answer, allow],
  ]);
}

/** Goes through `then`, which answers, when it holds, and past it otherwise. */
function when([code, value]: Instruction, then: readonly Instruction[]): Instruction[] {
  return [[code, value, 0, then.length], ...then];
}

/** `struct sock_filter` after `struct sock_filter`: code, both jumps, value. */
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
