import { randomUUID } from 'node:crypto';
import { anInteger, anObject, aString, required } from '../options/check-options.ts';
import { aContent, aFiniteNumber, checkRecords, textOf } from './check-members.ts';
import type { S3Event, SNSEvent, SNSMessageAttributes } from 'aws-lambda';

/** An SNS notification, as a test specifies it; other members are filled in. */
export interface SnsNotificationMessage {
  /** The message: a string is sent unchanged, anything else as JSON. */
  readonly message: unknown;
  /** The message id. Default: random. */
  readonly messageId?: string;
  /** The subject. Default: none. */
  readonly subject?: string;
  /** The message attributes. Default: none. */
  readonly messageAttributes?: SNSMessageAttributes;
  /** When it was sent, in epoch milliseconds. Default: now. */
  readonly sentAt?: number;
  /** The topic's name. Default `orders`. */
  readonly topicName?: string;
}

/**
 * Returns notifications as SNS delivers them to a function. `Records[0].Sns` is the body that a queue gets.
 *
 * @param notifications The notifications.
 * @throws `ConfigurationError` for an unknown or invalid member.
 */
export function snsEvent(notifications: readonly SnsNotificationMessage[]): SNSEvent {
  checkRecords('snsEvent', notifications, {
    content: 'message',
    checks: {
      message: aContent(),
      messageId: aString(),
      subject: aString(),
      messageAttributes: anObject(),
      sentAt: aFiniteNumber(),
      topicName: aString(),
    },
  });
  const records = notifications.map((notification) => {
    const { message, messageId = randomUUID(), subject, messageAttributes = {} } = notification;
    const { sentAt = Date.now(), topicName = 'orders' } = notification;
    const topicArn = `arn:aws:sns:us-east-1:123456789012:${topicName}`;
    return {
      EventSource: 'aws:sns',
      EventVersion: '1.0',
      EventSubscriptionArn: `${topicArn}:${randomUUID()}`,
      Sns: {
        Type: 'Notification',
        MessageId: messageId,
        TopicArn: topicArn,
        ...(subject !== undefined && { Subject: subject }),
        Message: textOf(message),
        Timestamp: new Date(sentAt).toISOString(),
        SignatureVersion: '1',
        Signature: 'EXAMPLE',
        SigningCertUrl: 'https://sns.us-east-1.amazonaws.com/example.pem',
        UnsubscribeUrl: 'https://sns.us-east-1.amazonaws.com/?Action=Unsubscribe',
        MessageAttributes: messageAttributes,
      },
    };
  });
  return { Records: records };
}

/** An S3 object, as a test specifies it; other members are filled in. */
export interface S3Object {
  /** The key, unencoded. */
  readonly key: string;
  /** The bucket. Default `uploads`. */
  readonly bucket?: string;
  /** The event's name. Default `ObjectCreated:Put`. */
  readonly eventName?: string;
  /** The size, in bytes. Default 1,024. */
  readonly size?: number;
  /** The version id. Default: none, as in a bucket without versioning. */
  readonly versionId?: string;
  /** The sequencer, which orders the events of a key. Default: random. */
  readonly sequencer?: string;
  /** When it was sent, in epoch milliseconds. Default: now. */
  readonly sentAt?: number;
}

/**
 * Returns an event notification as S3 delivers it to a function, and as a queue gets it as a body.
 *
 * @param objects The objects.
 * @throws `ConfigurationError` for an unknown or invalid member.
 */
export function s3Event(objects: readonly S3Object[]): S3Event {
  checkRecords('s3Event', objects, {
    content: 'key',
    checks: {
      key: required(aString()),
      bucket: aString(),
      eventName: aString(),
      size: anInteger(0),
      versionId: aString(),
      sequencer: aString(),
      sentAt: aFiniteNumber(),
    },
  });
  const records = objects.map((object) => {
    const { key, bucket = 'uploads', eventName = 'ObjectCreated:Put', size = 1_024, versionId } = object;
    const sequencer = object.sequencer ?? randomUUID().replaceAll('-', '').slice(0, 18).toUpperCase();
    return {
      eventVersion: '2.1',
      eventSource: 'aws:s3',
      awsRegion: 'us-east-1',
      eventTime: new Date(object.sentAt ?? Date.now()).toISOString(),
      eventName,
      userIdentity: { principalId: 'AWS:EXAMPLE' },
      requestParameters: { sourceIPAddress: '192.0.2.1' },
      responseElements: { 'x-amz-request-id': randomUUID(), 'x-amz-id-2': 'EXAMPLE' },
      s3: {
        s3SchemaVersion: '1.0',
        configurationId: 'example',
        bucket: { name: bucket, ownerIdentity: { principalId: 'EXAMPLE' }, arn: `arn:aws:s3:::${bucket}` },
        object: {
          key: encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/'),
          size,
          eTag: 'd41d8cd98f00b204e9800998ecf8427e',
          ...(versionId !== undefined && { versionId }),
          sequencer,
        },
      },
    };
  });
  return { Records: records };
}
