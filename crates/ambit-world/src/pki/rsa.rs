//! RSA for servers that must show it: ready-made keys, PKCS #1 v1.5 signatures by plain arithmetic, since the library
//! for signatures rightly refuses weak keys. The keys are public on purpose and protect nothing: they exist only
//! inside simulated internets.

use num_bigint::BigUint;

/// A ready-made key. The public exponent is 65537.
pub(crate) struct RsaKey {
    modulus: &'static str,
    private_exponent: &'static str,
}

/// 1,024 bits: what a scanner must call weak.
pub(crate) const WEAK: RsaKey = RsaKey {
    modulus: "bcb902bc53655f16a33be26dc5e6516e880e9aeef5cbcc68b2f3a5ea2cf6e4f83bb85beefb90bf957faed92abe0b3264522715e71fd0fb76c18b3b450602df4b\
     c873095ac85524d8b3ef232d5fa369d445490ea2fc452b86cef0ae82f46a1f14da97640f5dcc25765a57ca1688e7e6a755ba4461d5030df1566d19448e2f0ea1",
    private_exponent: "8dc0050f0130ce0849d92c0cb9ad7212ac7d13e0529c9dcf324291a75fd89e48d94a733b00974b5f760515b6e601b0faeb3dd254c4700ac0bb44e1e2c94e14fb\
     22a30dbd8f8c0b9d4380931c8ea4b49c85a596d83b2736b0af9162b2f57ec6046d01d739e6329a09af20fc999f8e94cfa16d5b8c55831038689ac66f79ec2db5",
};

/// 2,048 bits.
pub(crate) const USUAL: RsaKey = RsaKey {
    modulus: "8beae0c3bc6e82d7c1a4f54a9ae13f3dd0a06dd1695e60e6d74a5b617b7d819b19684f99498c233ee361a8bd7e9ad8d0ce9c7e33d001b1c5b0096328ab36721c\
     7e4a4c9a4737136c0565382cfdfd5d38ec3c53be85dc9db1b7af3400be8601781ffa6119db2c3570224d39ba2812e21b2fe36058a2c429e83b6d2f9205d7ebfe\
     d1a63f57ccb8ad60792fd12bd2ed43e0b0ee7e139a0d76c9cfec4313ae1baed2656726b3bab7d11ba3fb83061b2913b4988faffc900ec2f9b89af9e7360ffce6\
     04119fec9b62404bdf0c052dd3bf95ecbf9cb6e95467626c106975ab2291b68646b52765870b024eea26f1eccc3d19f724fdb7a306da28f761f1377c751ea897",
    private_exponent: "0fd4890dec48593fbda0d86b27f47b24c1c6c79602af68699b0b1bcffeda4cd5cba7f1cae73781420614e5b406da7b29be1940ed6e1d25a161bb8b7f58465bde\
     731571eef49c111e4ecaa1c7f40bfc9b9f9d6b0b7fcc085573f1a681bd0c9ea6ef809db2d6097d99a1c538aba20967913ee24c0e208aeed8dfbc5de8f8b09ccf\
     cd7a92759c00ad3d3fce5c0351c960f7cd0927fa9f2109c7fa8bef25382fd16ffded41c28a579418c78f8b7e27c69b5a515d8c8c5cd4fdd0aae13cda37050b44\
     41d2bb9fef8f0992c4a96f7ea0a8de7ba1a792b8adc7b1e29fab6c62755d3bef6d15d5d5c061151d01b8c1664753f0d3cdeba5b6644d3e6deb3f6562c99f8ae5",
};

/// The `DigestInfo` head of SHA-1 (RFC 8017 §9.2).
pub(crate) const SHA1_INFO: &[u8] =
    &[0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x0e, 0x03, 0x02, 0x1a, 0x05, 0x00, 0x04, 0x14];
/// The `DigestInfo` head of SHA-256.
pub(crate) const SHA256_INFO: &[u8] =
    &[0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20];

impl RsaKey {
    /// The modulus, big-endian.
    pub(crate) fn modulus(&self) -> Vec<u8> {
        hex::decode(self.modulus).expect("the constant is hex")
    }

    /// Signs a digest by PKCS #1 v1.5: the same digest gives the same signature.
    pub(crate) fn sign(&self, info: &[u8], digest: &[u8]) -> Vec<u8> {
        let modulus = self.modulus();
        let padding = modulus.len() - 3 - info.len() - digest.len();
        let mut padded = vec![0, 1];
        padded.extend(std::iter::repeat_n(0xff, padding));
        padded.push(0);
        padded.extend(info);
        padded.extend(digest);
        let exponent = hex::decode(self.private_exponent).expect("the constant is hex");
        power(&padded, &exponent, &modulus)
    }
}

/// `number ^ exponent mod modulus`, all big-endian; the result is as long as the modulus.
fn power(number: &[u8], exponent: &[u8], modulus: &[u8]) -> Vec<u8> {
    let [number, exponent, divisor] = [number, exponent, modulus].map(BigUint::from_bytes_be);
    let digits = number.modpow(&exponent, &divisor).to_bytes_be();
    [vec![0; modulus.len() - digits.len()], digits].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_verify_and_repeat() {
        for key in [&WEAK, &USUAL] {
            let digest = [7u8; 32];
            let signature = key.sign(SHA256_INFO, &digest);
            let opened = power(&signature, &[1, 0, 1], &key.modulus());
            assert_eq!(opened[..2], [0, 1]);
            assert!(opened.ends_with(&[SHA256_INFO, &digest].concat()));
            assert_eq!(signature, key.sign(SHA256_INFO, &digest));
        }
    }
}
