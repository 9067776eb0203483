// Writes records with AWS Glue's serializer, and prints them as base64, a line each. A registry listens on the loopback interface:
// java -cp 'LIB/*' Glue.java ENDPOINT AVRO_SCHEMA FILE_DESCRIPTOR
import com.amazonaws.services.schemaregistry.serializers.GlueSchemaRegistryKafkaSerializer;
import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.TextFormat;
import com.google.protobuf.TimestampProto;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

public class Glue {
  static String endpoint;

  public static void main(String[] args) throws Exception {
    endpoint = args[0];
    Object order = order(new Schema.Parser().parse(args[1]));
    print("avro plain", "AVRO", "NONE", order);
    print("avro zlib", "AVRO", "ZLIB", order);

    FileDescriptor file = FileDescriptor.buildFrom(
        FileDescriptorProto.parseFrom(Base64.getDecoder().decode(args[2])),
        new FileDescriptor[] {TimestampProto.getDescriptor()});
    Descriptor placed = file.findMessageTypeByName("OrderPlaced");
    Descriptor line = placed.findNestedTypeByName("Line");
    DynamicMessage message = message(placed,
        "order_id: 'o-1' total_cents: -9223372036854775808 largest: 18446744073709551615 weight: 0.1 is_gift: true "
            + "token: '\\000\\177\\200\\377' status: PAID lines { sku: 's' quantity: 2 note { text: 'Gr\\303\\266\\303\\237e' } } "
            + "lines {} line_counts { key: 'a' value: 9007199254740993 } placed_at { seconds: 1767323045 nanos: 678000000 } "
            + "address { city: 'Bern' } voucher: 7 scores: [-1, 0, 1]");
    print("protobuf plain", "PROTOBUF", "NONE", message);
    print("protobuf zlib", "PROTOBUF", "ZLIB", message);
    print("protobuf first", "PROTOBUF", "NONE", message(file.findMessageTypeByName("Address"), "city: 'Bern'"));
    print("protobuf nested", "PROTOBUF", "NONE", message(line, "sku: 's'"));
    print("protobuf deeper", "PROTOBUF", "NONE", message(line.findNestedTypeByName("Note"), "text: 'n'"));
    print("protobuf empty", "PROTOBUF", "NONE", message(placed, ""));
    System.exit(0);
  }

  static DynamicMessage message(Descriptor type, String text) throws Exception {
    DynamicMessage.Builder builder = DynamicMessage.newBuilder(type);
    TextFormat.merge(text, builder);
    return builder.build();
  }

  static Object order(Schema schema) {
    GenericData.Record order = new GenericData.Record(schema);
    order.put("orderId", "o-1");
    order.put("quantity", -3);
    order.put("totalCents", Long.MIN_VALUE);
    order.put("price", ByteBuffer.wrap(new BigInteger("-12345678901234567890").toByteArray()));
    order.put("weight", 0.1);
    order.put("token", ByteBuffer.wrap(new byte[] {0, 127, -128, -1}));
    order.put("note", "Gr\u00f6\u00dfe \u2713");
    order.put("status", new GenericData.EnumSymbol(schema.getField("status").schema(), "PAID"));
    order.put("tags", List.of("a", "b"));
    order.put("counts", new TreeMap<>(Map.of("x", 9007199254740993L, "y", -2L)));
    order.put("placedAt", 1_700_000_000_000L);
    GenericData.Record address = new GenericData.Record(schema.getField("address").schema());
    address.put("city", "Z\u00fcrich");
    order.put("address", address);
    GenericData.Record voucher = new GenericData.Record(schema.getField("payment").schema().getTypes().get(1));
    voucher.put("code", "v");
    order.put("payment", voucher);
    return order;
  }

  static void print(String name, String format, String compression, Object value) {
    Map<String, Object> config = Map.of(
        "endpoint", endpoint, "region", "eu-central-1", "dataFormat", format, "compression", compression,
        "schemaName", format, "avroRecordType", "GENERIC_RECORD", "protobufMessageType", "DYNAMIC_MESSAGE");
    GlueSchemaRegistryKafkaSerializer serializer = new GlueSchemaRegistryKafkaSerializer(
        StaticCredentialsProvider.create(AwsBasicCredentials.create("local", "local")), config);
    serializer.configure(config, false);
    byte[] written = serializer.serialize("orders", value);
    System.out.println("record " + name + " " + Base64.getEncoder().encodeToString(written));
  }
}
